"""Every engine of tic-tac-toe behind one interface: a position in, moves out, with their cost."""
