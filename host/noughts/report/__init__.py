"""A class's games as a page of HTML."""
