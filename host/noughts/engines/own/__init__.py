"""Engines of one's own: a file, a package's, or any program, each in a process of its own.

All of them are asked one line at a time: the nine characters of a position, and the player to move
(`X...O.... X`). A program answers with a line: a cell from 0 to 8, or several with blanks between
them. A file or a package has a function `choose(board)`, which `chooser` calls in such a process.
`leash` starts it, and ends it when whoever asks is gone, however that came to pass.
"""

GROUP = "noughts.engines"
"""Of the entry points that packages may have, each a function such as `choose`."""

LIMIT_S = 20.0
"""For each answer: for a plain minimax in Python, the empty board takes several seconds."""
