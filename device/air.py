# noughts: radio. Each sentence goes through the air too, to a gateway (`gateway.py`) in the same
# group. Only a V2 has the heap for it: `v2.py` imports this, and `group.py`, if `--radio` put them.
import leds, machine, microbit, radio, random, sentences
from group import GROUP

ident = "%02X" * 4 % tuple(machine.unique_id()[:4])
radio.config(length=65, channel=77, group=GROUP, power=7)
radio.off()  # but while it sends: to listen drains the batteries
print("radio", ident, GROUP)
until = microbit.running_time() + leds.scroll("radio %d" % GROUP)
by_cable = sentences.send  # by cable
# [when to send it (again), ms; how often it was sent; the frame]
waiting = []  # type: list


def send(text):
    said = by_cable(text)
    frame = "NR,%s,%s" % (ident, text)
    xor = 0
    for i in frame.encode():
        xor ^= i
    i = 10  # sent once; but again what has no dash at the end, "NB" and games that are over
    if text[-1] != "-":
        i = 0
    waiting.append([0, i, "$%s*%02X" % (frame, xor)])
    del waiting[:-99]
    return said


def read(one, two):
    # What reads B's pin, instead of `two`. The loop does so in each turn: so this has its turns.
    def read():
        global until
        button = two()
        while microbit.running_time() < until:  # a press ends it, and counts in the next turn
            if one() and two():
                microbit.sleep(5)
            else:
                until = 0
        now = microbit.running_time()
        for i in waiting:
            if now >= i[0]:
                # Again after some 1, 1, 2, 2, 4, 4, 8, 8, 16 and 16 seconds.
                i[0] = now + (random.randrange(500, 1500) << i[1] // 2)
                i[1] += 1
                if i[1] > 10:
                    waiting.remove(i)
                try:
                    radio.on()
                    radio.send_bytes(i[2])
                    radio.off()
                except Exception:  # whatever it is, the game goes on
                    pass
                break  # one in a turn: it takes 2 ms
        return button

    return read


sentences.send = send

# The longest sentence has 49 letters, and 16 are around it: 65. 2,477 MHz are above Wi-Fi's
# channels 1 to 11, below Bluetooth's 2,480, and not 2,407, where MakeCode's boards send.
#
# Nobody answers, so what matters is sent eleven times, at random moments of a minute: soon, for
# those who look on, and long after, should somebody stand between. 30 boards that end a game
# every 25 seconds send 30 * 17 / 25 = 20 frames a second of 0.6 ms each: one in 40 meets
# another. With 30 % lost besides, 32 % do not arrive: of 11 none in 1 game of 280,000.
