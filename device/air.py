# noughts: radio. Each sentence is also sent by radio, to a gateway (`gateway.py`) in the same
# group. Only a V2 has enough heap: `v2.py` imports this, and `group.py`, if `--radio` put them.
import buttons, leds, loop, machine, microbit, radio, random, sentences
from group import GROUP

ident = "%02X" * 4 % tuple(machine.unique_id()[:4])
radio.config(length=65, channel=77, group=GROUP, power=7)
radio.off()  # except while sending: listening drains the batteries
print("radio", ident, GROUP)
until = 0  # when its text on the LEDs ends
partner = loop.chosen[3:]  # while two boards play by radio
if not partner:
    until = microbit.running_time() + leds.scroll("radio %d" % GROUP)
by_cable = sentences.send
# [when to send it (again), ms; how often it was sent; the frame]
waiting = []  # type: list


def send(text):
    sent = by_cable(text)
    frame = "NR,%s,%s" % (ident, text)
    xor = 0
    for i in frame.encode():
        xor ^= i
    i = 10  # sent once; "NB" and finished games, without a dash at the end, are sent again
    if text[-1] != "-" and text[1] != "M":
        i = 0
    waiting.append([0, i, "$%s*%02X" % (frame, xor)])
    del waiting[:-99]
    return sent


def read(one, two):
    # Gives what stands for `two`, which reads B's pin. The loop calls it in each turn, so it can
    # send there.
    def read():
        global until
        button = two()
        while microbit.running_time() < until:  # a press ends this, and counts in the next turn
            if one() and two():
                microbit.sleep(5)
            else:
                until = 0
        now = microbit.running_time()
        for i in waiting:
            if now >= i[0]:
                # Again after about 1, 1, 2, 2, 4, 4, 8, 8, 16 and 16 seconds.
                i[0] = now + (random.randrange(500, 1500) << i[1] // 2)
                i[1] += 1
                if i[1] > 10:
                    waiting.remove(i)
                try:
                    if partner:
                        radio.config(channel=77, group=GROUP)
                    radio.on()
                    radio.send_bytes(i[2])
                    radio.off()
                    if partner:  # back to it, see `repeat.py`
                        radio.config(channel=2 + 8 * int(loop.chosen[3]), group=77)
                        radio.on()
                except Exception:  # the game goes on
                    pass
                break  # one per turn, because it takes 2 ms
        return button

    return read


sentences.send = send
buttons.read = buttons.read[0], read(*buttons.read)

# The longest sentence has 49 characters, and the frame adds 16: 65. 2,477 MHz is above Wi-Fi's
# channels 1 to 11, below Bluetooth's 2,480 MHz, and not 2,407 MHz, where MakeCode's boards send.
#
# Nobody answers, so each result is sent eleven times, at random times within a minute: soon, for
# people who watch, and much later, in case someone stands in the way. 30 boards that end a game
# every 25 seconds send 30 * 17 / 25 = 20 frames a second of 0.6 ms each; one in 40 collides with
# another. If 30 % more are lost, 32 % do not arrive: all 11 are lost in 1 game of 280,000.
