"""What `make soak` prints: one table of all that came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from soak import cuts, endurance, serial_noise, session

Result = session.Result | cuts.Result | endurance.Result | serial_noise.Result
Row = tuple[str, str]

MANY_CUTS = 100
LEAST_IN_WRITES = 0.3
"""Of so many cuts at least, this share must come while flash is written or erased."""


def sections(results: Sequence[Result]) -> list[list[Row]]:
    """What was measured: for each board the rows of two columns."""
    boards = sorted({result.board for result in results})
    return [_section([each for each in results if each.board == board]) for board in boards]


def _section(results: Sequence[Result]) -> list[Row]:
    found = [("measured on", ", ".join(sorted({result.firmware for result in results})))]
    found += _sessions([each for each in results if isinstance(each, session.Result)])
    found += _cuts([each for each in results if isinstance(each, cuts.Result)])
    found += _noise([each for each in results if isinstance(each, serial_noise.Result)])
    found += _endurance([each for each in results if isinstance(each, endurance.Result)])
    found.append(("failures", str(sum(bool(result.failure) for result in results))))
    return found


def _sessions(results: Sequence[session.Result]) -> Iterator[Row]:
    if not results:
        return
    games: Counter[str] = sum((result.games for result in results), Counter())
    ends: Counter[str] = sum((result.ends for result in results), Counter())
    yield "device time", f"{sum(result.device_s for result in results) / 3600:.2f} hours"
    yield "  seeds", _seeds(results)
    contacts = sum(result.contacts for result in results)
    timed = [result for result in results if result.cpu_s]
    if timed:
        per_s = sum(each.cpu_s for each in timed) / sum(each.device_s for each in timed)
        yield "  CPU of the computer for a second", f"{per_s:.3f} s"
    yield "presses", f"{sum(result.presses for result in results):,}, {contacts:,} with bounces"
    yield "games begun", f"{games.total():,}"
    for level, name in (("P", "two people"), ("E", "easy"), ("M", "medium"), ("H", "hard")):
        ended = (("A won", "A"), ("B won", "B"), ("drawn", "="), ("abandoned", "x"))
        endings = ", ".join(f"{text} {ends[level + end]:,}" for text, end in ended)
        controls = f"{games[level + 'b']:,} by buttons, {games[level + 't']:,} by tilt"
        yield f"  {name}", f"{controls}: {endings}"
    yield (
        "lowest free heap, with the probe loaded",
        f"{min(r.lowest_free for r in results):,} bytes",
    )
    yield "  drop from the first third to the last", f"{max(r.drift for r in results)} bytes"
    yield (
        "longest stall of the loop, flash aside",
        f"{max(r.longest_gap_ms for r in results)} ms",
    )
    yield "  while flash was written", f"{max(r.longest_saving_ms for r in results)} ms"
    jumps = sum(result.clock_jumps for result in results)
    yield "  jumps of the firmware's clock by 65.5 ms", f"{jumps}"


def _cuts(results: Sequence[cuts.Result]) -> Iterator[Row]:
    if not results:
        return
    yield "power cuts", f"{sum(result.cuts for result in results)}"
    yield "  seeds", _seeds(results)
    yield "  while flash was written", f"{sum(result.in_a_write for result in results)}"
    yield "  while a page was erased", f"{sum(result.in_an_erase for result in results)}"
    yield "  after which the defaults were offered", f"{sum(result.defaults for result in results)}"


def _noise(results: Sequence[serial_noise.Result]) -> Iterator[Row]:
    if not results:
        return
    yield "bytes of serial noise during games", f"{sum(each.flooded for each in results):,}"
    yield "  seeds", _seeds(results)
    interruptions = sum(result.interruptions for result in results)
    yield "  interruptions by Ctrl-C, Ctrl-D and others", f"{interruptions}"


def _endurance(results: Sequence[endurance.Result]) -> Iterator[Row]:
    for result in results:
        for what, wear in (("", result.games), (" with another choice", result.others)):
            each = wear.writes / wear.times if wear.times else 0
            yield f"flash writes in {wear.times} games{what}", f"{each:.0f} each"
            total, worst = wear.erases.total(), max(wear.erases.values(), default=0)
            yield "  page erases", f"{total}, {worst} of one page"
            yield "  the CPU waited for the flash", f"{wear.longest_ms:.1f} ms at most"
            if worst:
                lasts = wear.lasting(result.board)
                years = lasts / endurance.A_DAY / endurance.DAYS_A_YEAR
                yield (
                    f"  until a page was erased {endurance.ERASES[result.board]:,} times",
                    f"{lasts:,.0f}: {years:.0f} years at {endurance.A_DAY} a day",
                )


def too_few_in_writes(results: Sequence[Result]) -> Iterator[str]:
    """A line for each board whose cuts missed the writing of flash more often than they should."""
    for board in sorted({result.board for result in results}):
        found = [
            each
            for each in results
            if isinstance(each, cuts.Result) and each.board == board and each.in_writes
        ]
        total = sum(each.cuts for each in found)
        hit = sum(each.in_a_write + each.in_an_erase for each in found)
        if total >= MANY_CUTS and hit < LEAST_IN_WRITES * total:
            yield f"{board}: only {hit} of {total} cuts came while flash was written or erased"


def _seeds(results: Sequence[Result]) -> str:
    return f"{min(result.seed for result in results)} to {max(result.seed for result in results)}"
