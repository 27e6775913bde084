"""Which micro:bit the four hex digits of a board id mean.

A Universal Hex marks its parts with them, and the USB serial number of a micro:bit begins with
them: https://tech.microbit.org/software/spec-universal-hex/
"""

V1, V2 = "V1", "V2"
BOARD_IDS = {"9900": V1, "9901": V1, "9903": V2, "9904": V2, "9905": V2, "9906": V2}
