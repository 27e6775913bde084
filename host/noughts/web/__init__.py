"""The page in the browser: its logic is in Python; it draws what it receives."""
