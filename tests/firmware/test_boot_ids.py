"""What names a board's runs: drawn anew at each start, and too long to be drawn twice."""

from boards import B, Driver


def test_boot_ids_have_32_random_bits(start):
    driver = Driver(start())
    driver.start()
    for _ in range(5):
        driver.board.reset()
        driver.start()
    driver.press(B)
    driver.says("", "-")
    drawn = [boot.boot for boot in driver.boots]
    assert driver.games[-1].boot == drawn[-1]
    assert [len(boot) for boot in drawn] == [8] * 6
    assert len(set(drawn)) == len(drawn)
    for digit in zip(*drawn, strict=True):  # each is drawn
        assert len(set(digit)) > 1


def test_boards_with_other_chance_draw_other_boot_ids(start):
    drivers = [Driver(start(seed=seed)) for seed in (1, 2)]
    for driver in drivers:
        driver.start()
    assert len({driver.boots[0].boot for driver in drivers}) == 2
