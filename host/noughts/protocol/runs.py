"""Which run each board is in, as far as its serial line tells; so, which games are long over."""

from __future__ import annotations

from noughts.protocol.sentences import Boot, Sentence, is_late


class Runs:
    """The runs of boards, by the lines on which they are heard."""

    def __init__(self) -> None:
        self._announced: dict[str, tuple[str | None, int | None]] = {}
        """By line: the boot of the run it is in, None until something tells; and since when."""

    def opened(self, line: str, at: int | None) -> None:
        """A port was opened: its board may be amid what it tells of earlier runs."""
        self._announce(line, None, at)

    def is_late(self, line: str, sentence: Sentence, by_radio: bool, at: int | None) -> bool:
        """Whether a sentence tells of a game that may be long over."""
        if by_radio:
            # The end of a game is sent again some time later, so its moment tells little.
            return not isinstance(sentence, Boot) and sentence.end != "-"
        if not isinstance(sentence, Boot) and sentence.end != "-":
            announced, _ = self._announced.get(line, (None, None))
            return is_late(sentence, announced)
        # A game that goes on is of this run, too: its `$NB` may have come before the port was open.
        self._announce(line, sentence.boot, at)
        return False

    def _announce(self, line: str, boot: str | None, at: int | None) -> None:
        _, since = self._announced.get(line, (None, None))
        if at is None or since is None or since <= at:  # else it comes late, or a second time
            self._announced[line] = boot, at
