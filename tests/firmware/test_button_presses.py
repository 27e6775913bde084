"""Bouncing contacts and clumsy presses on the real firmware, to the microsecond of device time."""

from functools import cache
from random import Random

import pytest

from button_presser import A, B, Machine, Player
from needed import long
from soak.monkey import Contact, bounces


@pytest.fixture(params=["V1", long("V2")])
def player(request):
    """In the menu."""
    machine, in_menu = ready(request.param)
    in_menu.restore()
    return Player(machine)


@cache
def ready(board):
    machine = Machine(board)
    Player(machine).boots()
    return machine, machine.microbit.snapshot()


def do(player, *contacts, rest_ms=250):
    """Make contacts at (ms, button, closed) from now; what the board says until a rest after."""
    before, start_us = len(player.games), player.machine.now_us
    for at_ms, button, closed in sorted(contacts, key=lambda contact: contact[0]):
        player.machine.run_until(start_us + round(at_ms * 1000))
        player.machine.contact(button, closed)
    player.machine.rest(rest_ms)
    player.listen()
    return player.games[before:]


def bouncing(random, at_ms, button, closed):
    """A contact that changes, and bounces for up to 5 ms."""
    first = Contact(round(at_ms * 1000), button, closed)
    made = [first, *bounces(random, first.at_us, button, closed)]
    return [(contact.at_us / 1000, contact.button, contact.closed) for contact in made]


def taps(random, count, button):
    """Quick, bouncing taps of one button: 40 ms and more, 20 ms and more apart."""
    made, at_ms = [], random.uniform(0, 6)
    for _ in range(count):
        for closed, least_ms in ((True, 40), (False, 20)):
            made += bouncing(random, at_ms, button, closed)
            at_ms += least_ms + random.choice((0, 0, random.uniform(0, 6), random.uniform(0, 60)))
    return made


def test_quick_taps_all_count(player):
    random = Random(3)
    player.start()
    assert not do(player, *taps(random, 8, A))
    assert [game.moves for game in player.tap(B)] == [(3,)]
    # Marks are placed on the nearest free cells; the second tap begins before the first is decided.
    player.leave()
    player.start()
    said = do(player, *taps(random, 4, B))
    assert [game.moves for game in said] == [(4,), (4, 1), (4, 1, 3), (4, 1, 3, 5)]


@pytest.mark.parametrize(
    ("player", "first"),
    [("V1", A), *(long(board, first) for board, first in (("V1", B), ("V2", A)))],
    indirect=["player"],
)
def test_within_100_ms_both_are_both_and_never_a_single_press(player, first):
    """They lead from a new game to the menu.

    A single B would have placed a mark; in the menu, B would have started a game and A would have
    changed the opponent.
    """
    random, second = Random(2), B if first is A else A
    for apart_ms in (0, 3, 6, 92, 100):
        player.start()
        number = player.games[-1].number
        pressed = [(0, first, True), (apart_ms, second, True)]
        released = [(apart_ms + 60, first, False), (apart_ms + 90, second, False)]
        contacts = pressed + released
        if apart_ms in (3, 92):
            contacts = [each for one in contacts for each in bouncing(random, *one)]
        said = do(player, *contacts)
        assert [(game.number, game.moves, game.end) for game in said] == [(number, (), "x")]
        player.start()
        assert player.games[-1].seats == "PP"
        player.leave()
        player.machine.rest(3.3)  # of the loop's turn
