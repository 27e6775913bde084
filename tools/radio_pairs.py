"""Pairs of boards play by radio: many at once, with resets and power cuts, or with hostile packets.

    PYTHONPATH=tools/harness python tools/radio_pairs.py pairs --pairs 10 --channels 10 --games 20
    PYTHONPATH=tools/harness python tools/radio_pairs.py presses --runs 50
    PYTHONPATH=tools/harness python tools/radio_pairs.py hostile --packets 100000

Everything is in device time, and the same in each run. The exit status is 1 if anything was wrong.
`pairs`: all games are equal on both boards. `presses`: boards come back to a menu or a game, and no
two sentences contradict each other. `hostile`: packets change nothing.
"""

import argparse
import sys
from collections.abc import Iterable
from random import Random

from boards import A, B
from microbit_emulator import Button, Ether
from noughts.protocol.sentences import Game
from official import firmwares, stepped
from two_boards import Board, TwoBoards

_HOSTILE = b"""
import radio
from microbit import sleep
from random import randrange
radio.config(length=70, queue=1, channel=2, group=77, power=7)
radio.on()
seen = b"a,b,c,1,PP,A,4,5,"
count = 0
while count < %d:
    seen = radio.receive_bytes() or seen
    kind = randrange(5)
    frame = bytes([randrange(256) for _ in range(randrange(60))])
    if kind == 1:
        frame = seen[: randrange(len(seen))]
    elif kind == 2:
        frame = seen
    elif kind == 3:
        frame = b"%%08X" %% randrange(1 << 30) + seen[8:]
    elif kind == 4:
        frame = seen[:9] + b"%%08X" %% randrange(1 << 30) + seen[17:]
    radio.send_bytes(frame)
    count += 1
    sleep(randrange(3))
print("done")
"""


def contradictions(sentences: Iterable[Game]) -> list[str]:
    """Sentences that cannot be of the same game as others with their boot and number."""
    wrong, longest = [], dict[tuple[str, int], Game]()
    for game in sorted(sentences, key=lambda game: (len(game.moves), game.end != "-")):
        longest_game = longest.get((game.boot, game.number), game)
        if game.moves[: len(longest_game.moves)] != longest_game.moves or longest_game.end not in (
            "-",
            game.end,
        ):
            wrong.append(f"{longest_game} and {game}")
        longest[game.boot, game.number] = game
    return wrong


def ended(board: Board) -> list[Game]:
    return [game for game in board.games if game.end != "-"]


def pairs(count: int, channels: int, games: int, loss: float, seed: int) -> list[str]:
    """Pairs play until each has this many games; returns what is wrong."""
    random = Random(seed)
    kinds = [random.choice(firmwares()) for _ in range(2 * count)]
    room = TwoBoards(kinds, loss=loss, seed=seed)
    names = list(room.boards)
    room.enter({name: number // 2 % channels for number, name in enumerate(names)})
    room.rest(200)  # A at once after the last B would be both, which leaves
    while min(len(ended(board)) for board in room.all) < games:
        if room.ether.clock_us > games * 60e6:
            return [f"{[len(ended(board)) for board in room.all]} games after an hour"]
        for name in names:
            room.boards[name].driver.board.press(random.choice((A, B)))
        room.rest(60)
        for name in names:
            for button in (A, B):
                room.boards[name].driver.board.release(button)
        room.rest(150)
    room.rest(2000)
    wrong = [f"{item}" for board in room.all for item in board.driver.noise]
    by_boot: dict[str, list[Board]] = {}
    for board in room.all:
        by_boot.setdefault(board.games[0].boot, []).append(board)
    for boot, boards in by_boot.items():
        rows = [[str(game) for game in ended(board)][:games] for board in boards]
        numbers = [game.number for game in ended(boards[0])]
        if len(boards) != 2 or rows[0] != rows[1] or numbers != sorted(numbers):
            wrong.append(f"boot {boot}: {len(boards)} boards, {rows}")
    return wrong


def presses(seed: int, count: int = 300) -> list[str]:
    """Random presses, resets and power cuts of two boards; returns what is wrong."""
    random = Random(seed)
    pair = TwoBoards([random.choice(firmwares()) for _ in range(2)], loss=0.1, seed=seed)
    pair.enter()
    sent: list[Game] = []
    for _ in range(count):
        name = random.choice("ab")
        board = pair.boards[name].driver.board
        chance = random.random()
        if chance < 0.03:
            pair.boards[name].driver.listen()
            board.reset() if chance < 0.015 else pair.boards[name].driver.cut_power()
        elif chance < 0.06:
            pair.tap(name, A, B)
        else:
            button: Button = random.choice((A, B, B))
            pair.tap(name, button)
        pair.rest(random.choice((0, 100, 400, 1500)))
    for _ in range(2):
        pair.rest(4000)
        for name in "ab":
            menus = pair.boards[name].menus
            pair.tap(name, A, B)
            pair.rest(4000)
            if pair.boards[name].menus == menus:  # in the menu, this switched the controls
                pair.tap(name, A)
            if pair.boards[name].menus == menus:
                return [f"{name} does not answer: {pair.boards[name].driver.leds()}"]
    sent = [game for board in pair.all for game in board.games]
    noise = [str(item) for board in pair.all for item in board.driver.noise]
    faults = [text for text in noise if "Traceback" in text or "Error" in text]
    return faults + contradictions(sent)


def hostile(packets: int, seed: int) -> list[str]:
    """Two boards play while a third one sends packets; returns what is wrong."""
    random = Random(seed)
    pair = TwoBoards([random.choice(firmwares()) for _ in range(2)], seed=seed)
    pair.begin()
    attacker = stepped("V2 2.1.2")({"main.py": _HOSTILE % packets}, seed)
    boards = {name: board.driver.board for name, board in pair.boards.items()}
    pair.ether = Ether({**boards, "c": attacker}, seed=seed)
    while b"done" not in attacker.uart.received:
        if b"Error" in attacker.uart.received:
            return [attacker.uart.received.decode("latin1")]
        pair.tap(random.choice("ab"), random.choice((A, B)))
    pair.rest(2000)
    a, b = pair.all
    noise = [str(item) for board in pair.all for item in board.driver.noise]
    count = min(len(a.games), len(b.games))
    print(len(ended(a)), "games")
    return noise + ([] if a.games[:count] == b.games[:count] else [f"{a.games} {b.games}"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("pairs", "presses", "hostile"))
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--channels", type=int, default=10)
    parser.add_argument("--games", type=int, default=20, help="of each pair")
    parser.add_argument("--loss", type=float, default=0.2, help="share of packets that is lost")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--packets", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    failed = 0
    runs = range(args.seed, args.seed + (args.runs if args.what == "presses" else 1))
    for seed in runs:
        if args.what == "pairs":
            wrong = pairs(args.pairs, args.channels, args.games, args.loss, seed)
        elif args.what == "presses":
            wrong = presses(seed)
        else:
            wrong = hostile(args.packets, seed)
        print(f"seed {seed}:", *(wrong or ["nothing was wrong"]), sep="\n  ", flush=True)
        failed += bool(wrong)
    print(f"{failed} of {len(runs)} runs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
