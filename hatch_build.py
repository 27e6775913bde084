"""What a release depends on: with NOUGHTS_EMULATOR=version, on a version of the emulator."""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReleaseHook(MetadataHookInterface):
    """Names the emulator's version, instead of its folder in a clone."""

    def update(self, metadata: dict) -> None:
        """Change the dependencies in place."""
        if os.environ.get("NOUGHTS_EMULATOR") != "version":
            return
        package = Path(self.root, "host", "microbit_emulator", "__init__.py").read_text("utf-8")
        version = re.search(r'^__version__ = "(.+)"$', package, re.MULTILINE)[1]
        metadata["dependencies"] = [
            f"microbit-emulator=={version}" if name.startswith("microbit-emulator @") else name
            for name in metadata["dependencies"]
        ]
