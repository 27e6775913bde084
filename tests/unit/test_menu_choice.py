"""What the menu offers first, by what is in the file `settings`."""

import io
from types import SimpleNamespace

import pytest

from noughts.device_files import load_device


@pytest.mark.parametrize("choice", ["Pb", "Pt", "Eb", "Et", "Mb", "Mt", "Hb", "Ht"])
def test_the_choice_of_the_last_game_is_offered(choice):
    assert offered(choice) == choice
    assert offered(choice + "\xff" * 9_000) == choice


@pytest.mark.parametrize(
    "damaged", ["", "H", "Zb", "Hq", "H\xff", " P", "b ", "\0\0", "hb" * 99, '{"volume": 11}', None]
)
def test_damage_means_the_defaults(damaged):
    assert offered(damaged) == "Pb"


def offered(content):
    """What the menu offers with this content of the file; None: there is no file."""
    shown = []
    microbit = SimpleNamespace(display=SimpleNamespace(show=shown.append))

    def open_file(name):
        assert name == "settings"
        if content is None:
            raise OSError
        return io.StringIO(content)

    menu = load_device("menu", others={"microbit": microbit}, names={"open": open_file})
    assert shown == [menu.chosen[0].replace("P", "2")]
    return menu.chosen
