"""What the parts of the page share."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Site:
    """How one start of the page was set up."""

    db: Path
    """The store; it may not exist yet."""
    port: int
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost")
    """Names under which a browser may ask for it."""
    lan: bool = False
    """Whether other computers may watch. They cannot change anything."""
    boards: int = 0
    """How many virtual boards run."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Proof that a page is from this start; every request that changes something needs it."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """What a browser may name as the host: exactly these. It leaves out the web's own port."""
        return tuple(f"{host}:{self.port}" if self.port != 80 else host for host in self.hosts)
