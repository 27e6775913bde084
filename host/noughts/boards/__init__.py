"""Real micro:bits: their ports and drives, the files on them, and what goes onto them."""
