"""Drawing mutations of the code, and applying them."""

from mutations import Mutation, draw

SOURCE = b"a = 1\nb = a < 2\nc = not b\n"
CANDIDATES = [
    Mutation("a.py", 1, SOURCE.index(b"1"), "1", "(1 + 1)"),
    Mutation("a.py", 2, SOURCE.index(b"<"), "<", "<="),
    Mutation("a.py", 2, SOURCE.index(b"2"), "2", "invalid"),
    Mutation("a.py", 3, SOURCE.index(b"not"), "not", ""),
]


def drawn(seed, count):
    return draw(CANDIDATES, seed, count, lambda mutation: mutation.new != "invalid")


def test_same_seed_draws_the_same_and_other_seeds_others():
    assert drawn(1, 2) == drawn(1, 2)
    assert len({tuple(mutation.line for mutation in drawn(seed, 2)) for seed in range(20)}) > 2


def test_no_invalid_mutation_is_drawn_and_each_line_once():
    draws = [drawn(seed, 3) for seed in range(20)]
    assert {len(mutations) for mutations in draws} == {2, 3}
    for mutations in draws:
        assert len({mutation.line for mutation in mutations}) == len(mutations)
        assert "invalid" not in {mutation.new for mutation in mutations}


def test_applied_mutation_changes_only_its_place():
    assert CANDIDATES[1].apply(SOURCE) == b"a = 1\nb = a <= 2\nc = not b\n"
