"""Programs in a terminal, and views as text."""
