"""The chip's brain made from games: how people move, and the table that wins most against them."""
