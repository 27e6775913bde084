"""Real boards: their serial ports, their USB drives, and the files on them."""
