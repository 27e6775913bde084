"""What an observer makes of texts that a real board scrolls."""

import pytest

from boards import scrolled
from noughts.protocol.sentences import Boot
from noughts.views.situation import Observer


@pytest.mark.parametrize("text", ["tilt", "buttons", "A Win", "B Win", "Draw", "Game", "radio 7"])
def test_texts_that_scroll_are_not_taken_for_the_menu(text):
    observer = Observer()
    observer.receive(Boot("00000A83", "V1", "1.0.0", "2798"))
    for leds in scrolled("V1 1.1.1", text):
        for _ in range(2):
            observer.see(leds)
        assert (observer.now.phase, observer.now.opponent) == ("menu", "")
