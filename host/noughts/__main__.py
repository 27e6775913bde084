"""`python -m noughts`."""

import sys

from noughts.cli import main

sys.exit(main())
