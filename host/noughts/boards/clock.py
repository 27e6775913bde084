"""The clock for waiting for boards. Tests replace it by a stepped board's own clock."""

from time import monotonic as monotonic
from time import sleep as sleep
