# noughts: the sentences on the serial line, in the manner of NMEA 0183:
# "$" body "*" checksum, the XOR of the body's bytes as two hex digits.
from random import randrange

boot = "%04X%04X" % (randrange(0x10000), randrange(0x10000))
start = "NB,1," + boot + ",V%d,1.2.0,%s"  # for the board's kind and the table's id


def send(text):
    xor = 0
    for i in bytes(text, "utf-8"):  # a string's letters would be interned
        xor ^= i
    text = "$%s*%02X" % (text, xor)
    print(text)
    return text
