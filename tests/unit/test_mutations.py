"""Drawing mutations of the code, and applying them."""

from itertools import chain

from mutations import GROUP, OUTCOME, Mutation, draw, groups

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


def test_each_mutation_is_in_one_group_and_groups_have_all_folders():
    folders = "abcd"
    mutations = [
        Mutation(f"{folder}.py", line, 0, "1", "2") for folder in folders for line in range(3)
    ]
    together = list(groups(mutations))
    assert sorted(chain(*together), key=mutations.index) == mutations
    assert [len(group) for group in together] == [GROUP] * 3
    assert {"".join(mutation.path[0] for mutation in group) for group in together} == {folders}


def test_outcomes_are_read_while_pytest_runs():
    text = """
[gw0] [  3%] PASSED tests/unit/test_a.py::test_one
tests/unit/test_b.py::test_two[x y]
[gw1] [100%] FAILED tests/unit/test_b.py::test_two[x y]
[gw0] [100%] ERROR tests/unit/test_a.py::test_three
"""
    assert OUTCOME.findall(text) == [
        ("PASSED", "tests/unit/test_a.py::test_one"),
        ("FAILED", "tests/unit/test_b.py::test_two[x y]"),
        ("ERROR", "tests/unit/test_a.py::test_three"),
    ]
