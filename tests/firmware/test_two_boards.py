"""Two boards play by radio, in one ether, in device time."""

import pytest

from boards import A, B, text
from microbit_emulator import Ether
from needed import long
from noughts.boards.packing import files_for_boards, packed
from noughts.boards.radio import Radio, files_with
from noughts.brain.device import device_files
from official import stepped
from two_boards import ARROWS, TwoBoards

V1, V2, OLD_V1, OLD_V2 = "V1 1.1.1", "V2 2.1.2", "V1 1.0.1", "V2 2.0.0-beta.5"
MIXTURES = [
    (V1, V2), *map(long, [(V1, V1), (V2, V2), (OLD_V1, OLD_V2), (OLD_V1, V1), (OLD_V2, V2)]),
]  # fmt: skip


@pytest.fixture(scope="module")
def menus():
    """Two boards in their menus, and what returns them to that."""
    pair = TwoBoards((V1, V2))
    pair.wait(lambda: all(board.menus for board in pair.all), "the menus")
    return pair, pair.snapshot()


@pytest.fixture
def in_menus(menus):
    pair, restore = menus
    restore()
    return pair


@pytest.fixture(scope="module")
def begun(menus):
    """The same two boards when their first game has begun, and what returns them to that."""
    pair, restore = menus
    restore()
    pair.begin()
    pair.rest(200)
    return pair, pair.snapshot()


@pytest.fixture
def pair(begun):
    pair, restore = begun
    restore()
    return pair


@pytest.mark.parametrize("kinds", MIXTURES)
def test_two_boards_play_and_both_send_the_same(kinds):
    pair = TwoBoards(kinds, loss=0.1)
    pair.begin()
    assert {pair.player("a"), pair.player("b")} == {"A", "B"}
    a, b = pair.all
    while len([game for game in a.games if game.end in "AB="]) < 2:
        if a.games[-1].end == "-":
            pair.move()
        else:
            pair.rest(300)
            for name in "ab":
                pair.tap(name, B)  # skip the end
            pair.wait(lambda: a.games[-1].end == b.games[-1].end == "-", "the next game")
    assert a.games == b.games
    assert [game.first for game in a.games if not game.moves][:2] == ["A", "B"]
    assert {game.seats for game in a.games} == {"PP"}


def test_press_in_the_others_turn_shows_an_arrow(pair):
    mover = pair.mover()
    other = pair.boards["b" if mover == "a" else "a"].driver
    for button in (A, B):
        other.board.press(button)
        other.shows(ARROWS[pair.player(mover)], 0.2)
        other.board.release(button)
        pair.rest(1000)
    assert not pair.boards["a"].games[-1].moves


@pytest.mark.parametrize("leaves", ["a", long("b")])
def test_both_leave_for_the_menu(pair, leaves):
    pair.move()
    menus = [board.menus for board in pair.all]
    pair.tap(leaves, A, B)
    pair.wait(lambda: all(b.menus > m for b, m in zip(pair.all, menus, strict=True)), "menus")
    a, b = pair.all
    assert a.choice == b.choice == "Rbs"
    assert a.games == b.games and a.games[-1].end == "x"
    assert a.games[-1].ms == a.games[-2].ms
    assert b.driver.logged[-1] == a.games[-1]
    a.driver.items.clear()
    a.driver.cut_power()
    pair.wait(lambda: bool(a.games), "the stored game")
    assert a.games[-1] == b.games[-1]


@pytest.mark.parametrize("leaves", ["a", long("b")])
def test_game_does_not_end_without_the_partner(pair, leaves):
    """Which is not in reach, and so does not know that this board leaves."""
    pair.move()
    pair.rest(500)
    pair.ether.loss = 1
    board, games = pair.boards[leaves], [*pair.boards[leaves].games]
    menus = board.menus
    pair.tap(leaves, A, B)
    pair.wait(lambda: board.menus > menus, "the menu")
    assert board.games == games and games[-1].end == "-"


@pytest.mark.parametrize("which", ["a", long("b")])
def test_board_that_was_reset_comes_back_into_the_game(pair, which):
    comes_back(pair, which)


@pytest.mark.long
@pytest.mark.parametrize("which", "ab")
def test_board_with_the_older_firmware_comes_back_too(which):
    pair = TwoBoards((OLD_V1, OLD_V2))
    pair.begin()
    pair.rest(200)
    comes_back(pair, which)


def comes_back(pair, which):
    for _ in range(2):
        pair.move()
        pair.rest(500)
    pair.boards[which].driver.cut_power()
    pair.rest(2500)
    for _ in range(2):
        pair.move()
        pair.rest(500)
    a, b = pair.all
    assert a.games == b.games and len(a.games[-1].moves) == 4


def test_silent_partner_is_shown_and_the_game_goes_on(pair):
    pair.move()
    pair.ether.loss = 1
    pair.rest(10_500)
    question = ".999. 9...9 ..99. ..... ..9.."
    assert [board.driver.leds() for board in pair.all] == [question] * 2
    pair.ether.loss = 0
    pair.rest(1500)
    # The question mark has gone: there is light only where cells are, which have even numbers.
    assert not any(level for board in pair.all for level in board.driver.board.leds()[1::2])
    pair.move()
    assert pair.all[0].games == pair.all[1].games


@pytest.mark.parametrize("kinds", [(V1,) * 4, long((V1, V2, V2, V1))])
def test_other_pairs_on_the_channel_change_nothing(kinds):
    pair = TwoBoards(kinds, loss=0.1)
    pair.enter()
    pair.wait(lambda: all(board.games for board in pair.all), "games", 20)
    boots = [board.games[0].boot for board in pair.all]
    assert sorted(map(boots.count, boots)) == [2] * 4


CHOOSES_ANOTHER = b"""
import microbit, radio
radio.config(length=70, queue=1, channel=2, group=77)
radio.on()
to = b""
while not to:
    to = (radio.receive_bytes() or b"")[1:9]
for i in range(%d):
    radio.send_bytes(to + b",00000001,,0,PP,A,,0,")
    microbit.sleep(100)
"""
"""Sends so many frames to a board, then no more."""


@pytest.mark.parametrize(("frames", "starts"), [(2, 2), long(4, 3)])
def test_board_goes_on_looking_if_its_partner_chooses_another(frames, starts):
    """The partner may not have heard that it was chosen, unless it goes on."""
    pair = TwoBoards((V1,))
    pair.enter()
    other = stepped(V2)({"main.py": CHOOSES_ANOTHER % frames})
    pair.ether = Ether({"a": pair.boards["a"].driver.board, "b": other})
    pair.rest(4000)
    (board,) = pair.all
    board.driver.listen()
    assert len(board.driver.boots) == starts  # for the menu, the channel, and the games


def test_boards_with_equal_ids_draw_others():
    files = device_files()
    own_id = b"ids[1] = sentences.boot"
    assert own_id in files["join.py"]
    files["join.py"] = files["join.py"].replace(own_id, b"ids[1] = '3E5A5FD2'")
    pair = TwoBoards((V1, V1), files=packed(files))
    pair.begin()
    pair.rest(200)
    for name in "ab":
        pair.tap(name, B)
    pair.rest(1500)
    a, b = pair.all
    assert a.games == b.games and a.games[-1].moves  # so only one of them is player A
    first_ids, last_ids = {}, {}  # of each board: its partner's id, and its own
    for packet in pair.ether.history:
        ids = packet.payload.decode().split(",")[:2]
        first_ids.setdefault(packet.sender, ids)
        last_ids[packet.sender] = ids
    assert [own for _, own in first_ids.values()] == ["3E5A5FD2"] * 2
    assert last_ids["a"] == last_ids["b"][::-1]
    assert last_ids["a"][0] != last_ids["a"][1] and "3E5A5FD2" not in last_ids["a"]


def test_boards_on_other_channels_look_for_another_and_do_not_meet(in_menus):
    """While a board looks, a light visits each cell."""
    pair = in_menus
    pair.enter({"a": 0, "b": 3})
    pair.rest(2500)
    looks = {name: set() for name in pair.boards}
    for _ in range(50):  # 2.5 s; it goes on every 200 ms
        pair.rest(50)
        for name, board in pair.boards.items():
            looks[name].add(board.driver.leds())
    cells = [10 * row + 2 * column for row in range(3) for column in range(3)]
    one_lit = {text(bytes(4 * (led == cell) for led in range(25))) for cell in cells}
    # Between two cells, a look may show both or none: LEDs change one row after another.
    assert all(one_lit <= seen for seen in looks.values())
    assert not any(board.games for board in pair.all)
    pair.tap("a", A, B)
    menus = pair.boards["a"].menus
    pair.wait(lambda: pair.boards["a"].menus > menus, "the menu")
    assert pair.boards["a"].choice == "Rbs"


def test_class_radio_sends_the_games_of_two_boards_too():
    files = files_with(Radio(sends=7), "V2", files_for_boards())
    pair = TwoBoards((V2, V2), files=files)
    pair.begin()
    pair.rest(200)
    for _ in range(3):
        pair.move()
        pair.rest(300)
    a, b = pair.all
    assert a.games == b.games
    assert {packet.dbm for packet in pair.ether.history} == {4}  # as far as a board can be heard
    frames = [bytes(packet.payload) for packet in pair.ether.history]
    body = f"NG,{a.games[-1].boot},1,PP,A,{''.join(map(str, a.games[-1].moves))},"
    assert sum(body.encode() in frame for frame in frames if frame[:4] == b"$NR,") == 2


@pytest.mark.parametrize(
    ("name", "line", "fault"),
    [
        ("play.py", b"repeat.again = 0", b"repeat.gain += 1"),
        ("join.py", b"ids[1] = sentences.boot", b"ids[1] = sentences.boots"),
    ],
    ids=["in a game", "while it looks for a partner"],
)
def test_fault_leads_to_the_menu(name, line, fault):
    files = device_files()
    assert line in files[name]
    files[name] = files[name].replace(line, fault, 1)
    pair = TwoBoards((V1, V2), files=packed(files))
    menus = [3, 3]
    pair.enter()
    pair.wait(lambda: [board.menus for board in pair.all] == menus, "the menus", 20)
    assert all(board.choice == "Rbs" for board in pair.all)
    assert any("AttributeError" in str(board.driver.noise) for board in pair.all)


def test_other_programs_files_are_not_read():
    """Which would be resent as games of a V1's ring, if their names counted on from it."""
    files = {**files_for_boards(), "24": b"123456read", "25": b"123456read", "40": b"123456read"}
    pair = TwoBoards((V1, V1), files=files)
    pair.begin()
    pair.ether.loss = 1
    board = pair.boards["a"].driver
    board.cut_power()
    pair.rest(4000)  # it waits for its partner
    board.listen()
    assert not board.noise
