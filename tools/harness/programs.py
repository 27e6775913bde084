"""Programs that a computer may lack."""

INSTALL = "sh tools/get_test_programs.sh installs it, or says how"


class MissingProgramError(Exception):
    """A program is missing; the text says which, and how to install it."""
