"""Stored games: the SQLite store, reading it back, statistics, and columns to export."""
