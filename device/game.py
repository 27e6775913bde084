# noughts: one game, from the empty board to the next game or back to the menu.
import buttons


def play(number, chosen, player):
    # Returns True for the next game, False for the menu. `games_v1.py` or `games_v2.py` has set
    # `buttons.save`. The imports are here, so that this large module is compiled first.
    import ai, ending, human, leds, random, rules, sentences

    seats = "P" + chosen[0]
    marks = [0] * 9
    score = [0] * 8
    moves = ""
    # "=A-xB"[result]: 0 "=" a draw, 1 "A" has won, -1 "B" has won, 2 "-" going on, 3 "x"
    # abandoned. A player is 1 or -1, and indexes it too.
    first = "=A-xB"[player]  # who begins
    began = buttons.now
    result = 2
    leds.show(" ")
    while True:
        sent = sentences.send(
            "NG,%s,%d,%s,%s,%s,%d,%s"
            % (sentences.boot, number, seats, first, moves, buttons.now - began, "=A-xB"[result])
        )
        if result != 2:
            buttons.save(sent)  # type: ignore[attr-defined]
            return result != 3 and ending.show(marks, score, result)
        level = seats[player < 0]
        if level == "P":
            cell = human.choose(marks, player, chosen[1])
        else:
            # The chip waits a moment, so that a person can follow.
            until = buttons.now + 400
            cell = random.choice(ai.best(marks, score, player, level))
            while cell >= 0 and buttons.now < until:
                if buttons.wait() == 3:
                    cell = -1
                leds.draw(marks, buttons.now, b"", 0)
        result = 3
        if cell >= 0:
            rules.place(marks, score, cell, player)
            moves += str(cell)
            player = -player
            result = rules.result(marks, score)
