# noughts: games of two boards by radio. A V1 has no memory for the menu and the chip too, so this
# begins and ends with a reset. Local names cost the least memory, so `start` is long.
import loop, sys, microbit

chosen = loop.chosen
del loop.file, loop.stored  # type: ignore[has-type]  # a V1 needs their memory
loop.modules = "sentences ending rules games_v%d tilt human repeat leds radio"  # last one first
me = chosen[4:12] < chosen[12:]  # player A
arrows = microbit.Image.ARROW_E, microbit.Image.ARROW_W
microbit.display.show(arrows[me])


def greet():
    # Says which board this is. Deleted, because a V1 needs its memory.
    import buttons, sentences

    with open("table.py") as file:  # a V1 has no memory to import it
        text = file.read()
    sentences.send(sentences.opening % (sentences.boot, buttons.model, text[-6:-2]))
    del sentences.opening
    return sentences.boot


def tell(ours, end):
    # Sends the game's sentence: both boards have this game now.
    import buttons, sentences

    text = sentences.send("NG,%s,%s" % (",".join(ours[2:8]), end))
    if end != "-":
        buttons.save(text)  # type: ignore[attr-defined]


def meet(ours, theirs):
    # Waits for the first game, which player A's board begins; or for one that goes on, if this
    # board was reset. Deleted too.
    import buttons

    while ours[3] < "1":
        buttons.wait()  # looked up each time: games_v1.py replaces it
        if theirs[3] > "0":
            ours[2:4] = theirs[2:4]
        elif theirs[3] and me:
            ours[3] = "1"


def more(marks, image):
    # Waits for a turn of the loop. Returns the partner's moves after ours; None until it has ours.
    # A press shows the arrow to the partner for a while.
    import buttons, leds
    from repeat import ours, theirs

    leds.draw(marks, buttons.now, (), 0)
    buttons.wait()
    if buttons.pending:
        leds.show(image)
        for i in range(99):  # noqa: B007
            buttons.wait()
        leds.show(" ")
    if theirs[2:4] == ours[2:4] and theirs[6].startswith(ours[6]):
        return theirs[6][len(ours[6]) :]
    if int("0" + theirs[3]) > int(ours[3]):
        return ""  # it is in the next game
    return None


def start():
    global greet, meet
    import buttons, ending, human, leds, repeat, rules

    ours = repeat.ours
    theirs = repeat.theirs
    ours[:3] = chosen[12:], chosen[4:12], greet()
    del greet
    image = arrows[not me]
    result = 2
    try:
        meet(ours, theirs)
        del meet
        number = int(ours[3])
        while True:  # games
            marks = [0] * 9
            score = [0] * 8
            player = 2 * (number & 1) - 1
            began = buttons.now
            ours[3:8] = str(number), "PP", "=A-xB"[player], "", "0"
            result = 2
            leds.show(" ")
            while True:  # moves
                cells = None  # type: ignore[assignment]
                repeat.again = 0
                while cells is None:
                    cells = more(marks, image)
                if ours[7]:
                    tell(ours, "=A-xB"[result])
                if result != 2:
                    break
                if (player > 0) == me and not cells:
                    cells = str(human.choose(marks, player, chosen[1]))
                    ours[7] = str(buttons.now - began)
                else:
                    while not cells:
                        cells = more(marks, image)
                    last = theirs[7]
                    began = buttons.now - int(last)
                    ours[7] = "" if cells[1:] else last  # it comes back: only the last is sent
                cells = cells[:1]
                ours[6] += cells
                rules.place(marks, score, int(cells), player)
                player = -player
                result = rules.result(marks, score)
            ending.show(marks, score, result)
            number += 1
    except Exception as e:  # not Ctrl-C, which always reaches the REPL
        image = microbit.Image.HOUSE
        if not isinstance(e, EOFError):  # which is only that a board leaves
            image = microbit.Image.SAD
            sys.print_exception(e)  # type: ignore[attr-defined]
    ours[8] = "x"
    leds.show(image)
    began = buttons.now
    while buttons.now < began + 1000:
        buttons.wait()
    if theirs[8] and theirs[2:4] == ours[2:4]:
        if len(theirs[6]) < len(ours[6]):
            # Nobody has sent the last move, because the partner did not know it.
            ours[6:8] = theirs[6:8]
            result = 2
        if result == 2:
            tell(ours, "x")
    with open("settings", "w") as file:
        file.write(chosen[:3])
    microbit.reset()
