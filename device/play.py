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
    text = sentences.boot
    del sentences.boot, sentences.opening
    return text


def tell(ours, end):
    # Sends the game's sentence: both boards have this game now.
    import buttons, sentences

    text = sentences.send("NG,%s,%s" % (",".join(ours[1:4]), end))
    if end != "-":
        buttons.save(text)  # type: ignore[attr-defined]


def meet(ours, theirs):
    # Waits for the first game, which player A's board begins; or for one that goes on, if this
    # board was reset. Returns its number. Deleted too.
    import buttons

    while True:
        buttons.wait()  # looked up each time: games_v1.py replaces it
        text = theirs[1][9:-5]
        if text > "0":
            ours[1] = theirs[1]  # its boot is used
            return int(text)
        if text and me:
            return 1


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
    if theirs[1] == ours[1] and theirs[2].startswith(ours[2]):
        return theirs[2][len(ours[2]) :] or ""  # a constant takes no memory
    if int("0" + theirs[1][9:-5]) > int(ours[1][9:-5]):
        return ""  # it is in the next game
    return None


def start():
    global greet, meet
    import buttons, ending, human, leds, repeat, rules

    ours = repeat.ours
    theirs = repeat.theirs
    ours[:2] = chosen[12:] + "," + chosen[4:12], greet() + ours[1]
    del greet
    image = arrows[not me]
    result = 2
    try:
        number = meet(ours, theirs)
        del meet
        while True:  # games
            marks = [0] * 9
            score = [0] * 8
            player = 2 * (number & 1) - 1
            began = buttons.now
            ours[1:4] = "%s%d,PP,%s" % (ours[1][:9], number, "=A-xB"[player]), "", "0"
            result = 2
            leds.show(" ")
            while True:  # moves
                cells = None  # type: ignore[assignment]
                repeat.again = 0
                while cells is None:
                    cells = more(marks, image)
                if ours[3]:
                    tell(ours, "=A-xB"[result])
                if result != 2:
                    break
                if (player > 0) == me and not cells:
                    cells = str(human.choose(marks, player, chosen[1]))
                    ours[3] = str(buttons.now - began)
                else:
                    while not cells:
                        cells = more(marks, image)
                    began = buttons.now - int(theirs[3])
                    ours[3] = "" if cells[1:] else theirs[3]  # it comes back: only the last is sent
                cells = cells[:1]
                ours[2] += cells
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
    ours[4] = "x"
    leds.show(image)
    began = buttons.now
    while buttons.now < began + 1000:
        buttons.wait()
    if theirs[4] and theirs[1] == ours[1]:
        if len(theirs[2]) < len(ours[2]):
            # Nobody has sent the last move, because the partner did not know it.
            ours[2:4] = theirs[2:4]
            result = 2
        if result == 2:
            tell(ours, "x")
    with open("settings", "w") as file:
        file.write(chosen[:3])
    microbit.reset()
