"""What people look at, as plain data: made once, and only drawn by terminal, page and report."""
