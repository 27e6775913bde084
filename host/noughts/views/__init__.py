"""The views, as plain data: made once, and drawn by terminal, page and report."""
