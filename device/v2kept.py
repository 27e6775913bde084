# noughts: how a V2 keeps games. Its file system has five pages of 32 chunks, and ours fill three:
# a file for each game, as on a V1, would leave no page to erase.
#
# So a file, of one chunk too, holds seven games of 17 bytes each, and is written anew for each
# game, under another name: a power cut leaves the old one. When few chunks are erased, all are
# written anew, the choice too: so the pages that they stood in can be erased.
import os
import struct
import v2

files = []  # content and name, the oldest first; each begins with a number that rises
games = []  # to tell, 17 bytes each


def renew(content, old):
    # Writes a file, and removes the one that it replaces.
    for i in range(65, 77):
        name = "~%c" % i
        if name not in os.listdir():
            break
    with open(name, "wb") as f:
        f.write(content)
    if old:
        os.remove(old)
    return content, name


def keep(text):
    boot, number, seats, first, cells, ms, result = text[4:-3].split(",")
    player = "PEMH".find
    game = struct.pack(
        "<IIIIB",
        int(boot, 16),
        int(number),
        int("1" + cells),
        int(ms),
        player(seats[0]) * 64 + player(seats[1]) * 16 + "AB".find(first) * 4 + "AB=x".find(result),
    )
    # With one page to move in, or none, there would soon be no room for the choice either.
    if not room(b"") or v2.free < 2:
        return
    if files and len(files[-1][0]) < 121:
        content, old = files.pop()
    else:
        number = struct.unpack(">H", files[-1][0])[0] + 1 if files else 0
        content, old = struct.pack(">H", number), ""
    files.append(renew(content + game, old))
    if len(files) > 10:
        os.remove(files.pop(0)[1])


def room(moving=b"settings"):
    # Whether there is room to write this file anew. Where no chunk is erased, and no page freed,
    # the firmware moves all files to make room, and a power cut in that would ruin them.
    v2.look(moving)
    if v2.free > 1 and v2.erased < 14 and not v2.freed:
        for i in range(len(files)):
            files[i] = renew(*files[i])
        move()
    return v2.erased or v2.freed


def move():
    # The choice. A power cut leaves one of the two files.
    try:
        text = open("settings").read()
    except OSError:
        return
    with open("~c", "w") as f:
        f.write(text)
    with open("settings", "w") as f:
        f.write(text)
    os.remove("~c")


def tell():
    # Tells one more; whether there may be others.
    import sentences

    if games:
        boot, number, cells, ms, i = struct.unpack("<IIIIB", games.pop(0))
        sentences.send(
            "NG,%08X,%d,%s%s,%s,%s,%d,%s"
            % (
                boot,
                number,
                "PEMH"[i // 64],
                "PEMH"[i // 16 % 4],
                "AB"[i // 4 % 4],
                str(cells)[1:],
                ms,
                "AB=x"[i % 4],
            )
        )
    return games


for name in os.listdir():
    if name == "~c":
        text = open(name).read()
        if len(text) == 2:
            with open("settings", "w") as f:
                f.write(text)
        os.remove(name)
        v2.microbit.reset()
    elif name[0] == "~":
        content = open(name, "rb").read()
        if len(content) % 17 == 2:
            files.append((content, name))
        else:  # what a power cut left
            os.remove(name)
files.sort()
for content, _ in files:
    for i in range(2, len(content), 17):
        games.append(content[i : i + 17])
