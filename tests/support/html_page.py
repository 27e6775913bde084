"""HTML as a person reads it: its tables and its text."""

from collections import Counter
from html.parser import HTMLParser

_VOID = {"meta", "link", "input"}


class HtmlPage(HTMLParser):
    """The tags, the rows of tables and the text of a page; every tag that needs it is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.status = ""
        """What the page says first to a screen reader."""
        self.data = ""
        """What its script reads."""
        self._open: list[str] = []
        self._in_status = False
        self._text = ""
        self.feed(text)
        self.close()
        assert not self._open

    @property
    def text(self) -> str:
        """All of it, with single spaces."""
        return " ".join(self._text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self._in_status = ("role", "status") in attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        self._in_status = False

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"]:
            self.data += data
            return
        self._text += data
        if self._in_status:
            self.status += data
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())
