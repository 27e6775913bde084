# noughts: how a V2 keeps games. Its file system has five pages of 32 chunks, and ours fill three:
# a file for each game, as on a V1, would leave no page to erase.
#
# ruff: noqa: F403, F405
# So a file, of one chunk too, holds seven games of 17 bytes each, and is written anew for each
# game, under another name: a power cut leaves the old one. When few chunks are erased, those in one
# page are written anew, the choice too: so that page can be erased.
import os
from struct import pack, unpack
from v2 import *

files = []  # content and name, the oldest first; each begins with a number that rises
CHOICE = "0"  # where a V1 keeps it, too


def write(name, content):
    with open(name, "wb") as f:
        f.write(content)


def renew(content, old):
    # Writes a file anew. Each has two names, in turn: so a power cut leaves the old one.
    name = "~%c" % (ord(old[1]) ^ 1)
    write(name, content)
    if old in os.listdir():
        os.remove(old)
    return content, name


def keep(text):
    if not text[2:]:  # the choice, when a game begins with another one
        if room():
            write(CHOICE, "100000" + text)
        return
    boot, number, seats, first, cells, ms, result = text[4:-3].split(",")
    if not room(""):
        return
    if files and len(files[-1][0]) < 121:
        content, old = files.pop()
    else:
        rank = unpack(">H", files[-1][0])[0] + 1 if files else 0
        content, old = pack(">H", rank), "~%c" % (64 + rank % 12 * 2)
    content += pack(
        "<IIIIB",
        int(boot, 16),
        int(number),
        int("1" + cells),
        int(ms),
        "PEMH".find(seats[1]) * 16 + "AB".find(first) * 4 + "AB=x".find(result),
    )
    files.append(renew(content, old))
    if files[10:]:
        os.remove(files.pop(0)[1])


def room(moving=CHOICE):
    # Whether there is room to write this file anew. Where no chunk is erased, and no page freed,
    # the firmware moves all files to make room, and a power cut in that would ruin them.
    erased = freed = 0
    free = []  # pages that hold nothing but what moves
    for page in range(origin, origin + 0x5000, 4096):
        found = others = blanks = 0
        held = []
        for chunk in range(page, page + 4096, 128):
            marker = mem8[chunk]
            name = marker == 254 and title(chunk)
            if marker == 255:
                blanks += 1
            elif not marker or name == moving:  # freed by writing it anew
                found += 1
            elif name and (name[0] == "~" or name == CHOICE):
                held.append(name)
            else:
                others = 1
        erased += blanks
        freed += found == 32
        if not others:
            free.append((blanks, page, held))
    for blanks, page, held in sorted(free) if erased < 32 and not freed else []:
        # A page without files was being erased when the power was cut.
        if free[1:] and (not held or erased - blanks > len(held)):
            for chunk in range(page, page + 4096, 128):
                if mem8[chunk] == 255:  # the firmware would write there
                    free_chunk(chunk)
            files[:] = [renew(*i) if i[1] in held else i for i in files]
            if CHOICE in held:  # a power cut leaves one of the two files
                text = open(CHOICE, "rb").read()
                write("~c", text)
                write(CHOICE, text)
                os.remove("~c")
            break
    # With one page to move in, or none, there would soon be no room for the choice either.
    return (erased or freed) and (moving or free[1:])


def tell():
    # Tells one more; whether there may be others.
    global games
    import sentences

    if games:
        boot, number, cells, ms, i = unpack("<IIIIB", games)
        games = games[17:]
        sentences.send(
            "NG,%08X,%d,P%s,%s,%s,%d,%s"
            % (
                boot,
                number,
                "PEMH"[i // 16],
                "AB"[i // 4 % 4],
                str(cells)[1:],
                ms,
                "AB=x"[i % 4],
            )
        )
    return games


for old in os.listdir():
    if old[0] == "~":
        # If a power cut has changed its length, it ends in bytes that are erased.
        content = open(old, "rb").read().rstrip(b"\xff")
        if old == "~c":  # the choice, while it was moved
            write(CHOICE, content)
            os.remove(old)
            reset()
        if len(content) % 17 == 2:
            files.append((content, old))
        else:  # what a power cut left
            os.remove(old)
files.sort()
for i in range(len(files) - 1, 0, -1):
    if files[i][0][:2] == files[i - 1][0][:2]:  # a power cut left the old one, too
        os.remove(files.pop(i - 1)[1])
games = b"".join(i[0][2:] for i in files)  # to tell, 17 bytes each
