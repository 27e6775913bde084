# noughts: the sentences on the serial line, in the manner of NMEA 0183:
# "$" body "*" checksum, the XOR of the body's bytes as two hex digits.
from random import randrange

boot = "%04X%04X" % (randrange(0x10000), randrange(0x10000))
# At the start: the boot, the board's kind and the table's id.
opening = "NB,1,%s,V%d,1.2.0,%s"


def send(sentence):
    xor = 0
    for i in bytes(sentence, "utf-8"):  # a string's letters would be interned
        xor ^= i
    sentence = "$%s*%02X" % (sentence, xor)
    print(sentence)
    return sentence
