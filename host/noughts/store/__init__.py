"""The games that are kept: the SQLite store, reading it back, statistics, and columns to export."""
