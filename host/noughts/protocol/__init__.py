"""Sentences on the serial line: finding them in bytes, describing them."""
