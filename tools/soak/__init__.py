"""The game on the real V1 firmware for hours of device time, pressed, cut off and shouted at."""
