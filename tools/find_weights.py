"""Finds the weights in `device/table.py`, and proves that no others need a smaller book.

Each unfinished position that differs under symmetry asks that some best cell be worth more than
every cell that is not best, or else stands in the book. A constraint solver minimises first the
book, then the greatest weight. It needs OR-Tools, for this run only: pip install ortools
"""

from collections.abc import Callable

from ortools.sat.python import cp_model

from noughts import brain
from noughts.game.solver import hard_moves

LIMIT = 63


def solve(minimise: Callable[..., object], book: int | None) -> tuple[list[int], int]:
    model = cp_model.CpModel()
    weights = [model.new_int_var(0, LIMIT, f"w{number}") for number in range(10)]
    in_book = []
    for position in brain.classes():
        values = brain.cell_values(position, tuple(weights))
        best = hard_moves(position)
        others = [cell for cell in position.free if cell not in best]
        if not others:
            continue
        ways = [model.new_bool_var("")]
        in_book.append(ways[0])
        for good in best:
            way = model.new_bool_var("")
            ways.append(way)
            for bad in others:
                model.add(values[good] - values[bad] > 0).only_enforce_if(way)
        model.add_bool_or(ways)
    if book is not None:
        model.add(sum(in_book) <= book)
    top = model.new_int_var(0, LIMIT, "top")
    model.add_max_equality(top, weights)
    model.minimize(minimise(in_book, top))
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    return [solver.value(weight) for weight in weights], sum(map(solver.value, in_book))


def main() -> None:
    _, book = solve(lambda in_book, top: sum(in_book), None)
    print(f"ten weights up to {LIMIT} need at least {book} positions in the book (proved)")
    weights, _ = solve(lambda in_book, top: top, book)
    print(f"with {book} in the book, the greatest weight is at least {max(weights)} (proved)")
    for name, some_weights in (("these", tuple(weights)), ("those in use", brain.WEIGHTS)):
        made = brain.make_table(some_weights)
        brain.check(made)
        print(f"{name}, {some_weights}: {len(made.payload)} bytes, right in all positions")


if __name__ == "__main__":
    main()
