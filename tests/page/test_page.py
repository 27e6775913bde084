"""People play, solve puzzles, and look at games: by mouse, keys and touch, in two languages."""

import os
import re
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

import build_page
from accessibility import violations
from captured_logs import captured_log
from data_logs import HEADING, row
from needed import long
from plugged import fake_serial
from sample_games import BOOT, DRAW, stages, wire, write

PHONE, SCREEN = {"width": 390, "height": 844}, {"width": 1280, "height": 720}
CHINESE = {"locale": "zh-CN"}


def headline(page, text):
    expect(page.locator(".part:visible .situation")).to_have_text(text)


def cell(page, number):
    return (
        page.get_by_role("group", name=re.compile("Board|棋盘"))
        .get_by_role("button")
        .nth(number - 1)
    )


def opponent(page, name):
    page.get_by_label("Opponent").select_option(label=name)


def play(page, cells):
    for number in cells:
        page.keyboard.press(str(number))


def test_texts_of_all_languages_have_the_same_keys_and_values():
    english, *others = map(build_page.read_texts, build_page.LANGUAGES)
    for texts in others:
        assert list(texts) == list(english)
        for key, text in english.items():
            values = re.findall(r"{\w+}", text)
            assert sorted(re.findall(r"{\w+}", texts[key])) == sorted(values), key


def test_every_text_is_used_and_there():
    source = "".join(
        path.read_text("utf-8")
        for path in build_page.PAGE.iterdir()
        if path.suffix in (".js", ".html")
    )
    for key in build_page.read_texts("en"):
        stem = key.rpartition(".")[0]
        assert f"{key}" in source or f"{stem}." in source, key


def test_two_friends_play_by_keys_and_the_other_one_begins_next(open_page):
    page = open_page()
    opponent(page, "A friend, on this screen")
    headline(page, "X’s turn")
    expect(page.get_by_text("First to move: X.")).to_be_visible()
    play(page, [5, 1, 5])
    expect(page.locator("#play-remark")).to_have_text("Cell 5 is taken.")
    play(page, [3])
    expect(page.locator("#play-remark")).to_be_empty()
    play(page, [7, 4, 6, 2, 8, 9])
    headline(page, "A draw")
    expect(page.get_by_text("First to move in the next game: O.")).to_be_visible()
    expect(page.get_by_text("Score: X 0, O 0, draws 1")).to_be_visible()
    page.get_by_role("button", name="New game").click()
    headline(page, "O’s turn")
    play(page, [1])
    page.get_by_role("button", name="New game").click()  # that one has not ended
    headline(page, "O’s turn")
    expect(page.get_by_text("First to move: O.")).to_be_visible()


def test_digits_choose_a_cell_also_after_the_opponent_was_chosen(open_page):
    page = open_page()
    opponent(page, "A friend, on this screen")
    page.get_by_label("Opponent").focus()
    play(page, [5])
    headline(page, "O’s turn")


def test_last_move_is_marked(open_page):
    page = open_page()
    opponent(page, "A friend, on this screen")
    last = page.locator("#play-board .cell.last")
    expect(last).to_have_count(0)
    for number, name in ((5, "5, in the centre, X"), (1, "1, in the top-left corner, O")):
        play(page, [number])
        expect(last).to_have_accessible_name(name)
    undo = page.get_by_role("button", name="Undo")
    undo.click()
    expect(last).to_have_accessible_name("5, in the centre, X")
    expect(undo).to_be_focused()
    undo.click()
    expect(last).to_have_count(0)
    expect(page.get_by_role("button", name="New game")).to_be_focused()


def test_a_line_wins_and_counts_once(open_page):
    page = open_page()
    opponent(page, "A friend, on this screen")
    play(page, [1, 4, 2, 5, 3])
    headline(page, "X has won!")
    result, line = page.locator("#play .result"), page.locator("#play-board .line")
    expect(result).to_be_visible()
    expect(line).to_have_count(3)
    expect(line.last).to_have_accessible_name("3, in the top-right corner, X")
    expect(page.get_by_text("Score: X 1, O 0, draws 0")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    headline(page, "X’s turn")
    expect(result).to_have_count(0)
    expect(line).to_have_count(0)
    play(page, [3])
    expect(page.get_by_text("Score: X 1, O 0, draws 0")).to_be_visible()
    page.get_by_role("button", name="New game").click()
    headline(page, "O’s turn")
    play(page, [7, 1, 8, 2, 9])
    expect(page.get_by_text("Score: X 1, O 1, draws 0")).to_be_visible()
    opponent(page, "Easy – plays anywhere")
    expect(page.get_by_text("Score: you 0, the chip 0, draws 0")).to_be_visible()


@pytest.fixture
def chip_page(open_stepped_page, page_file):
    """Where the chip plays the first of its best moves, `after_reply`."""
    page = open_stepped_page(page_file)
    page.evaluate("Math.random = () => 0")
    return page


def after_reply(page):
    page.clock.run_for(400)


def test_chip_answers_and_finishes_its_line(chip_page):
    page = chip_page
    expect(page.get_by_text("Score: you 0, the chip 0, draws 0")).to_be_visible()
    expect(page.get_by_text("First to move: you.")).to_be_visible()
    for number, reply in (
        (5, "1, in the top-left corner"),
        (2, "8, on the bottom edge"),
        (3, "7, in the bottom-left corner"),
    ):
        play(page, [number])
        headline(page, "The chip’s turn")
        play(page, [9])  # the person is not to move
        after_reply(page)
        expect(page.get_by_text(f"The chip played {reply}.")).to_be_visible()
        headline(page, "Your turn")
    play(page, [6])
    after_reply(page)
    headline(page, "The chip won")
    expect(page.get_by_text("Score: you 0, the chip 1, draws 0")).to_be_visible()
    expect(page.get_by_text("First to move in the next game: the chip.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    headline(page, "Your turn")
    expect(cell(page, 6)).to_have_accessible_name("6, on the right edge, free")


def test_chip_does_not_reply_to_a_move_that_is_gone(chip_page):
    page = chip_page
    for name in ("Undo", "New game"):
        play(page, [5])
        headline(page, "The chip’s turn")
        page.get_by_role("button", name=name).click()
        after_reply(page)
        headline(page, "Your turn")
        expect(page.locator("#play-board svg")).to_have_count(0)


def test_chip_begins_the_second_game(chip_page):
    page = chip_page
    opponent(page, "Easy – plays anywhere")
    for number in (5, 7, 3):
        headline(page, "Your turn")
        play(page, [number])
        after_reply(page)
    headline(page, "You won!")
    expect(page.get_by_text("Score: you 1, the chip 0, draws 0")).to_be_visible()
    page.get_by_role("button", name="New game").click()
    headline(page, "The chip’s turn")
    expect(page.get_by_text("First to move: the chip.")).to_be_visible()
    after_reply(page)
    headline(page, "Your turn")
    expect(cell(page, 1)).to_have_accessible_name("1, in the top-left corner, O")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    play(page, [9])
    after_reply(page)
    undo.click()
    expect(page.locator("#play-board svg")).to_have_count(1)
    expect(undo).to_be_disabled()


def test_best_moves_have_a_ring_and_cells_their_worth(open_page):
    page = open_page()
    opponent(page, "A friend, on this screen")
    page.get_by_label("Circle the best moves").check()
    page.get_by_label("Show what each free cell is worth").check()
    play(page, [1])
    centre = cell(page, 5)
    expect(centre).to_have_accessible_name("5, in the centre, free; draw; the best move")
    expect(cell(page, 2)).to_have_accessible_name("2, on the top edge, free; loss in 6")
    expect(cell(page, 2)).to_have_text("loss in 6")
    expect(centre).to_have_class(re.compile("best"))
    play(page, [4, 2, 5])
    expect(cell(page, 3)).to_have_text("win in 1")
    page.get_by_label("Show what each free cell is worth").uncheck()
    expect(cell(page, 3)).to_have_accessible_name("3, in the top-right corner, free; the best move")
    expect(cell(page, 6)).to_have_accessible_name("6, on the right edge, free")
    page.get_by_role("button", name="中文").click()
    expect(cell(page, 3)).to_have_accessible_name("3，右上角，空格；最佳走法")
    page.get_by_role("button", name="English").click()
    page.get_by_label("Circle the best moves").uncheck()
    expect(page.locator("#play-board .best")).to_have_count(0)


def puzzle_level(page, name):
    """Choose a level, and get its first puzzle."""
    page.evaluate("Math.random = () => 0")
    page.get_by_label("Level").select_option(label=name)


def test_puzzles_that_are_solved_count_and_are_explained(open_page):
    page = open_page()
    question = page.locator("#puzzle-headline")
    expect(question).to_be_empty()  # they take their time
    page.get_by_role("link", name="Puzzles").click()
    expect(question).to_have_text(re.compile("find the only move"))
    puzzle_level(page, "★ look around")
    headline(page, "O to move: find the only move that does not lose.")
    names = [cell(page, number).get_attribute("aria-label") for number in (1, 2, 5, 9)]
    assert [name[-1] for name in names] == ["X", "O", "e", "X"]
    answer, show, again, why = (
        page.locator(place)
        for place in ("#puzzle-board .last", "#show-move", "#try-again", "#puzzle-why")
    )
    for part in (answer, again, why):
        expect(part).to_be_hidden()
    play(page, [5])
    headline(page, "Right!")
    expect(answer).to_have_accessible_name("5, in the centre, O")
    expect(answer).to_have_class(re.compile("win"))
    expect(page.locator("#puzzle-reason")).to_have_text(
        "O at 5, in the centre, holds the draw. With best play: X 8, O 7, X 3, O 6, X 4."
    )
    expect(why.get_by_role("img", name="A draw")).to_be_visible()
    expect(page.get_by_text("How it ends: A draw")).to_be_visible()
    for part in (show, again):
        expect(part).to_be_hidden()
    expect(page.get_by_text("Streak: 1. Best streak: 1.")).to_be_visible()
    play(page, [3])  # it has been answered
    expect(answer).to_have_accessible_name("5, in the centre, O")
    page.get_by_role("button", name="中文").click()
    headline(page, "答对了！")
    expect(page.locator("#puzzle-reason")).to_have_text(
        "O 下在 5（中心）可以保住平局。双方都按最佳走法下：X 8，O 7，X 3，O 6，X 4。"
    )
    page.get_by_role("button", name="English").click()
    page.get_by_role("button", name="Next puzzle").click()
    expect(cell(page, 2)).to_have_accessible_name("2, on the top edge, free")
    expect(why).to_be_hidden()
    puzzle_level(page, "★★ look ahead")
    headline(page, "X to move: find the only move that wins.")
    play(page, [9])
    expect(page.locator("#puzzle-reason")).to_have_text(
        "X at 9, in the bottom-right corner, is a win in 3. With best play: O 4, X 5."
    )
    won = why.get_by_role("img", name="X has won!")
    expect(won.locator(".line")).to_have_count(3)
    expect(page.get_by_text("Streak: 2. Best streak: 2.")).to_be_visible()
    page.get_by_role("button", name="Next puzzle").click()
    show.click()
    headline(page, "Right!")
    expect(page.get_by_text("Streak: 0. Best streak: 2.")).to_be_visible()
    page.get_by_role("link", name="Play").click()
    expect(page.get_by_text("First to move: you.")).to_be_visible()  # the keys did not play there
    page.get_by_role("link", name="Puzzles").click()
    headline(page, "Right!")
    page.reload()
    expect(page.get_by_text("Streak: 0. Best streak: 2.")).to_be_visible()


def test_wrong_answer_is_explained_and_can_be_tried_again(open_page):
    page = open_page(part="puzzles")
    puzzle_level(page, "★★ look ahead")
    reason, again = page.locator("#puzzle-reason"), page.get_by_role("button", name="Try again")
    for number, effect, end in (
        (4, "on the left edge, turns a win into a loss.|O 8, X 5, O 9.", "O has won!"),
        (5, "in the centre, turns a win into a draw.|O 9, X 8, O 4, X 6.", "A draw"),
    ):
        cell(page, number).click()
        headline(page, f"Wrong: {number} is not the move.")
        text = effect.replace("|", " The game can then go on: ")
        expect(reason).to_have_text(f"X at {number}, {text}")
        expect(page.get_by_text(f"How it ends: {end}")).to_be_visible()
        expect(page.locator("#puzzle-board .last")).to_have_class(re.compile("loss"))
        again.click()
        headline(page, "X to move: find the only move that wins.")
        expect(cell(page, number)).to_be_focused()
        expect(page.locator("#puzzle-board .last")).to_have_count(0)
    cell(page, 9).click()
    headline(page, "Right!")
    expect(page.get_by_text("Streak: 0. Best streak: 0.")).to_be_visible()  # the first one counts
    puzzle_level(page, "★ look around")
    cell(page, 3).click()
    expect(reason).to_contain_text("turns a draw into a loss.")


def add_games(page, log=None, name="games.log"):
    content = (log or captured_log()).encode("latin-1")
    file = {"name": name, "mimeType": "text/plain", "buffer": content}
    page.locator("#log-file").set_input_files([file])


def test_games_stay_are_stepped_through_saved_and_deleted(open_page):
    page = open_page(part="games")
    expect(page.get_by_text("No games yet.")).to_be_visible()
    with page.expect_file_chooser():
        page.get_by_role("button", name="Open a file").click()
    add_games(page)
    expect(page.get_by_text("New lines from games.log: ")).to_be_visible()  # they are written
    expect(page.locator("#log-file")).to_have_value("")  # the same file can be chosen again
    page.reload()
    games = page.get_by_role("region", name="All games")
    expect(games.get_by_role("row")).to_have_count(1 + 6)
    expect(games.get_by_role("columnheader")).to_have_text(
        ["Game", "When", "A and B", "Result", "Moves", "Board"]
    )
    rows = [
        *("1before .*person – harddraw9usb-9900", "2.*person – harddraw9usb-9900"),
        *("1.*person – hardB won7usb-9900", "3.*person – hardabandoned2COM 7"),
        *("1.*person – easydraw9radio-12345678", "1.*unfinished1script>document.*</script>"),
    ]
    expect(games.get_by_role("row")).to_have_text(
        [re.compile(f"^{row}$") for row in ["Game.*", *rows]]
    )
    results = page.get_by_role("region", name="Results by board").get_by_role("row")
    expect(results).to_have_count(5)
    expect(results.first.get_by_role("columnheader")).to_have_text(
        ["Board", "Games", "A won", "B won", "Draws"]
    )
    games.get_by_role("button", name="Show game 2").click()
    viewer = page.locator("#viewer")
    expect(viewer.get_by_role("heading", name="Game 2: draw")).to_be_focused()
    last, status = viewer.locator(".last"), viewer.get_by_role("status")
    expect(status).to_have_text("Move 9 of 9: A (✕), in the bottom-right corner")
    expect(last).to_have_count(1)
    slider = page.get_by_label("Move", exact=True)
    expect(slider).to_have_value("9")
    page.get_by_role("button", name="Back").click()
    eighth = "Move 8 of 9: B (◯), on the bottom edge"
    expect(status).to_have_text(eighth)
    expect(slider).to_have_attribute("aria-valuetext", eighth)
    expect(viewer.get_by_role("img", name=eighth)).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(status).to_contain_text("Move 7 of 9")
    page.get_by_role("button", name="Forward").click()
    expect(status).to_have_text(eighth)
    games.get_by_role("button", name="Show game 3").click()
    expect(status).to_contain_text("Move 2 of 2")
    slider.press("Home")
    expect(status).to_have_text("Before the first move")
    expect(last).to_have_count(0)
    games.get_by_role("row").filter(has_text="B won").get_by_role("button").click()
    expect(viewer.get_by_role("heading", name="Game 1: B won")).to_be_visible()
    expect(status).to_have_text("Move 7 of 7: B (◯), in the bottom-left corner")
    expect(viewer.locator(".line")).to_have_count(3)
    expect(viewer.locator(".O")).to_have_count(4)
    for name in ("noughts-games.log", "noughts-games.csv"):
        with page.expect_download() as download:
            page.get_by_role(
                "button", name="Save as CSV" if "csv" in name else "Save", exact=True
            ).click()
        assert download.value.suggested_filename == name
        saved = download.value.path().read_text("latin-1").splitlines()
        lines = [line for line in captured_log().splitlines() if " radio-" not in line]
        assert len(saved) == 1 + 6 if "csv" in name else set(lines) <= set(saved)
    page.get_by_role("button", name="Delete all games").click()
    expect(games.get_by_role("row")).to_have_count(1 + 6)
    slider.focus()  # who does something else first is asked anew
    page.get_by_role("button", name="Delete all games", exact=True).click()
    page.get_by_role("button", name="Press again to delete all games").click()
    expect(page.get_by_text("All games were deleted.")).to_be_visible()
    expect(page.get_by_text("No games yet.")).to_be_visible()
    expect(viewer).to_be_hidden()
    expect(page.locator("#by-board")).to_be_empty()
    expect(page.get_by_role("button", name="Delete all games", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("No games yet.")).to_be_visible()


@pytest.mark.parametrize("name", ["Save", "Save as CSV", "Delete all games"])
def test_without_games_saving_and_deleting_say_what_to_do(open_page, name):
    page = open_page(part="games")
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_text("There are no games yet. Play on a micro:bit")).to_be_visible()


LATE_STORE = """
const open = IDBFactory.prototype.open;
IDBFactory.prototype.open = function (...options) {
  const request = open.apply(this, options);
  const set = (action) => {
    window.openStore = () => {
      if (request.readyState === 'done') action();
      else request.addEventListener('success', action);
    };
  };
  Object.defineProperty(request, 'onsuccess', { set });
  return request;
};
"""


def test_button_that_is_pressed_before_the_games_are_loaded_is_not_forgotten(open_page):
    page = open_page(part="games", script=LATE_STORE)
    page.get_by_role("button", name="Delete all games").click()
    page.evaluate("openStore()")
    expect(page.get_by_text("There are no games yet. Play on a micro:bit")).to_be_visible()


def test_what_is_shown_changes_its_language(open_page):
    page = open_page(part="games", locale="en-US", timezone_id="UTC")
    add_games(page)
    games = page.get_by_role("region", name="All games")
    expect(games).to_be_visible()
    assert re.search("21\xa0Sept?\xa02026, 14:1", games.text_content())
    games.get_by_role("button", name="Show game 2").click()
    page.get_by_role("button", name="Back").click()
    add_games(page, "nothing")
    expect(page.get_by_text("games.log holds no games of noughts")).to_be_visible()
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_text("games.log 里没有 noughts 的对局")).to_be_visible()
    expect(page.get_by_text("第 8 步（共 9 步）")).to_be_visible()
    expect(page.locator("#game-list")).to_contain_text("2026年9月21日 14:1")
    page.get_by_role("button", name="关闭").click()
    expect(page.locator("#viewer")).to_be_hidden()


def test_newest_game_comes_first_and_one_of_an_unknown_time_last(open_page):
    page = open_page(part="games")

    def line(time, number):
        return f"{time}Z usb-1 {write(stages(DRAW, number=number)[-1])}"

    times = {
        1: "2026-09-01T12:00:00.000",
        2: "2026-09-03T12:00:00.000",
        4: "2026-09-02T12:00:00.000",
    }
    log = [
        line("0000-00-00T00:00:00.000", 3),
        *(line(time, number) for number, time in times.items()),
    ]
    add_games(page, "\n".join([*log, ""]))
    buttons = page.locator("#game-list button")
    expect(buttons).to_have_text(["2", "4", "1", "3"])


def test_damaged_rows_that_were_skipped_are_counted(open_page):
    page = open_page(part="games")
    good, damaged = row(stages(DRAW)[-1]), row(stages(DRAW, number=2)[-1])[:-3]
    rows = [HEADING, good, damaged, damaged]
    for count, english, chinese in (
        (3, "1 damaged row skipped, line 3 of the data.", "跳过了 1 个损坏的行：数据的第 3 行。"),
        (
            4,
            "2 damaged rows skipped, the first in line 3 of the data.",
            "跳过了 2 个损坏的行，第一个在数据的第 3 行。",
        ),
    ):
        add_games(page, "\n".join(rows[:count]), "microbit.csv")
        status = page.locator("#games-status")
        expect(status).to_have_text(re.compile(f"^New lines from microbit.csv: .*{english}$"))
        page.get_by_role("button", name="中文").click()
        expect(status).to_have_text(re.compile(f"{chinese}$"))
        page.get_by_role("button", name="English").click()


def test_newest_200_games_come_first_and_then_all(open_page):
    page = open_page(part="games")
    games = [write(stages(DRAW, boot=f"{number:08X}")[-1]) for number in range(1, 262)]
    add_games(page, "\n".join([*games, ""]))
    rows = page.get_by_role("region", name="All games").get_by_role("row")
    expect(rows).to_have_count(1 + 200)
    expect(page.get_by_text("The newest 200 of 261")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(1 + 261)
    expect(page.get_by_role("region", name="All games")).to_be_focused()
    expect(page.locator("#more-games")).to_be_hidden()


def test_files_of_one_name_are_boards_of_their_own(open_page):
    """Unless they have games of one board."""
    page = open_page(part="games")

    def add_log(*boots):
        rows = [row(stages(DRAW, boot=boot)[-1]) for boot in boots]
        add_games(page, "\n".join([HEADING, *rows, ""]), "microbit.csv")
        count = f"New lines from microbit.csv: {len(boots) - (boots[0] == '00000A01')}."
        expect(page.locator("#games-status")).to_have_text(count)

    def boards():
        return page.locator("#by-board td:first-child").all_text_contents()

    add_log("00000A00")  # each time, another count is waited for
    opened = "2026-09-01T12:00:00.000Z usb-1 "
    add_games(page, f"{opened}{write(stages(DRAW)[-1])}\n{opened}\n", "microbit.csv")
    add_log("00000B00", "00000B01")
    add_log("00000A01", "00000A00")
    add_log("00000C00", "00000C01")
    names = ["file-microbit.csv", "file-microbit.csv (2)", "file-microbit.csv (3)", "usb-1"]
    assert sorted(boards()) == names
    expect(page.locator("#by-board")).to_contain_text(re.compile(r"microbit\.csv2002"))


def test_two_boards_of_a_match_stay_apart(open_page):
    """Both logs have the match's games, with the boot of player A."""
    page = open_page(part="games")
    match = row(stages(DRAW, boot="A1A1A1A1")[-1])
    for boot, number in (("A1A1A1A1", 2), ("B2B2B2B2", 1)):
        own = row(stages(DRAW, boot=boot, number=number)[-1])
        add_games(page, "\n".join([HEADING, match, own, ""]), "MY_DATA.CSV")
        expect(page.locator("#games-status")).to_have_text("New lines from MY_DATA.CSV: 2.")
    names = page.locator("#by-board td:first-child").all_text_contents()
    assert sorted(names) == ["file-MY_DATA.CSV", "file-MY_DATA.CSV (2)"]


NO_STORAGE = [
    "Object.defineProperty(window, 'indexedDB', { value: undefined })",
    "indexedDB.open = () => { throw new DOMException('denied', 'SecurityError'); }",
]


@pytest.mark.parametrize("script", NO_STORAGE, ids=["missing", "refused"])
def test_browser_that_stores_nothing_says_so_and_shows_games(open_page, script):
    page = open_page(part="games", script=script)
    expect(page.get_by_text("This browser does not store anything for this page.")).to_be_visible()
    add_games(page)
    rows = page.get_by_role("region", name="All games").get_by_role("row")
    expect(rows).to_have_count(1 + 6)


def test_page_works_in_a_sandboxed_frame(open_page, page_file, tmp_path):
    """Where the browser refuses all storage."""
    frame_file = tmp_path / "frame.html"
    address = f"{page_file.as_uri()}#games"
    frame_file.write_text(f'<html data-ready><iframe sandbox="allow-scripts" src="{address}">')
    frame = open_page(frame_file).frame_locator("iframe")
    expect(frame.get_by_text("This browser does not store anything for this page.")).to_be_visible()
    expect(frame.get_by_text("No games yet.")).to_be_visible()


def test_two_tabs_show_the_same_games(open_page):
    page = open_page(part="games")
    other = page.context.new_page()
    other.goto(page.url)
    rows = other.get_by_role("region", name="All games").get_by_role("row")
    expect(other.get_by_text("No games yet.")).to_be_visible()
    add_games(page)
    expect(rows).to_have_count(1 + 6)
    other.get_by_role("button", name="Show game 2").click()
    expect(other.locator("#viewer")).to_be_visible()
    page.get_by_role("button", name="Delete all games").click()
    page.get_by_role("button", name="Press again to delete all games").click()
    expect(other.get_by_text("No games yet.")).to_be_visible()
    expect(other.locator("#viewer")).to_be_hidden()
    add_games(other)  # nothing of them is still known
    expect(rows).to_have_count(1 + 6)


def test_browser_is_asked_once_to_keep_the_games(open_page):
    count = "navigator.storage.persist = async () => document.documentElement.append('asked ')"
    page = open_page(part="games", script=count)
    add_games(page)
    expect(page.locator("html")).to_contain_text("asked")
    add_games(page, write(stages(DRAW, boot="00000E00")[-1]) + "\n")
    expect(page.get_by_role("region", name="All games").get_by_role("row")).to_have_count(1 + 7)
    expect(page.locator("html")).not_to_contain_text("asked asked")


def test_files_that_are_dropped_are_opened(open_page):
    """All of them; and the browser does not open them in the page's place."""
    page = open_page(part="play")
    body = page.locator("body")

    def dispatch(event, *files, inside=False):
        """Whether the browser then does what it does by itself."""
        return page.evaluate(
            """([type, files, inside]) => {
              const data = new DataTransfer();
              for (const [name, text] of files) data.items.add(new File([text], name));
              const relatedTarget = inside ? document.querySelector('main') : null;
              const options = { bubbles: true, cancelable: true, relatedTarget };
              const event = new DragEvent(type, { dataTransfer: data, ...options });
              return document.body.dispatchEvent(event);
            }""",
            [event, files, inside],
        )

    marked = re.compile(r"\bdragging\b")
    assert not dispatch("dragover")
    dispatch("dragleave", inside=True)
    expect(body).to_have_class(marked)
    dispatch("dragleave")
    expect(body).not_to_have_class(marked)
    dispatch("dragover")
    assert not dispatch("drop")
    expect(body).not_to_have_class(marked)
    expect(page.locator("#play")).to_be_visible()
    assert not dispatch("drop", ["blue.log", captured_log()], ["x.txt", "nothing"])
    expect(page.locator("#games-status")).to_have_text(
        "New lines from blue.log: 32. x.txt holds no games of noughts; choose another file."
    )
    expect(page.locator("#games-status")).to_be_visible()


def test_file_that_is_being_read_is_named(open_page):
    forever = "Blob.prototype.arrayBuffer = () => new Promise(() => {});"
    page = open_page(part="games", script=forever)
    add_games(page)
    expect(page.locator("#games-status")).to_have_text("Reading games.log …")


def test_file_that_is_too_large_is_not_read(open_page, tmp_path):
    page = open_page(part="games")
    path = tmp_path / "big.log"
    path.touch()
    os.truncate(path, 2**26 + 1)
    page.locator("#log-file").set_input_files(path)
    expect(page.locator("#games-status")).to_have_text(re.compile("^big.log is too large to open"))


def test_full_disk_is_said_until_there_is_room_for_everything(open_page):
    page = open_page(part="games")
    devtools = page.context.new_cdp_session(page)

    def set_quota(**quota):
        devtools.send("Storage.overrideQuotaForOrigin", {"origin": "file://", **quota})

    set_quota(quotaSize=1)
    page.reload()  # the browser reckons what room is left when it opens the store
    add_games(page)
    no_room = page.get_by_text("no room left for games")
    games = page.get_by_role("region", name="All games")
    expect(no_room).to_be_visible()
    expect(games.get_by_role("row")).to_have_count(1 + 6)
    set_quota()
    add_games(page, write(stages(DRAW, boot="EEEEEEEE")[-1]))
    expect(no_room).to_be_hidden()
    page.reload()
    expect(games.get_by_role("row")).to_have_count(1 + 7)


SLOW_WRITES = """
  const { add } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.add = function (line) {
    const goOn = () => (this.count().onsuccess = goOn); // so the transaction does not end
    goOn();
    return add.call(this, line);
  };
"""


@pytest.mark.parametrize("script", ["", SLOW_WRITES], ids=["written", "not written yet"])
def test_data_that_is_cleared_while_the_page_is_open_is_said(open_page, script):
    page = open_page(part="games", script=script)
    add_games(page)
    not_kept = page.get_by_text("does not store anything")
    expect(not_kept).to_be_hidden()
    clear = {"origin": "file://", "storageTypes": "all"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", clear)
    expect(not_kept).to_be_visible()
    add_games(page, write(stages(DRAW, boot="EEEEEEEE")[-1]))
    expect(page.get_by_role("region", name="All games").get_by_role("row")).to_have_count(1 + 7)


def test_language_is_the_browsers_until_another_is_chosen(open_page):
    page = open_page(**CHINESE)
    headline(page, "轮到你")
    expect(page).to_have_title(re.compile("井字棋"))
    html, button = page.locator("html"), page.locator("#language")
    expect(html).to_have_attribute("lang", "zh-CN")
    expect(button).to_have_attribute("lang", "en")  # for those who read neither
    button.click()
    for _ in range(2):
        headline(page, "Your turn")
        expect(page).to_have_title(re.compile("tic-tac-toe"))
        expect(html).to_have_attribute("lang", "en")
        expect(button).to_have_text("中文")
        expect(button).to_have_attribute("lang", "zh-CN")
        page.reload()


def test_address_names_the_part_that_is_shown(open_page):
    page = open_page(part="puzzles")
    parts = page.locator(".part").filter(visible=True)
    current = page.get_by_role("navigation").locator("[aria-current=page]")
    for name, heading in (("Games", "Games"), ("Play", "Play"), ("Puzzles", "Puzzles")):
        page.get_by_role("link", name=name).evaluate(
            """(link) => {
              document.body.style.minHeight = '300vh';
              scrollTo(0, 99);
              link.click();
            }"""
        )
        expect(parts).to_have_count(1)
        expect(parts.get_by_role("heading", level=1)).to_have_text(heading)
        expect(current).to_have_text(name)
        assert page.evaluate("scrollY") == 0
    page.evaluate("location.hash = '#main'")  # as by the link to skip to the content
    expect(parts.get_by_role("heading", level=1)).to_have_text("Puzzles")
    page.evaluate("location.hash = '#unknown'")
    expect(parts.get_by_role("heading", level=1)).to_have_text("Play")


def test_phone_by_touch_in_chinese(open_page):
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True, **CHINESE)
    page.get_by_label("对手").select_option("friend")
    for number in (1, 4, 2, 5, 3):
        cell(page, number).tap()
    headline(page, "X 赢了！")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


class Look(NamedTuple):
    width: int
    scheme: str = "light"
    forced_colors: str = "none"
    rules: tuple[str, ...] = ()
    """Of axe; none: all of them."""


FEW_LOOKS = Look(1280), Look(320), Look(390, "dark", rules=("color-contrast",))
NARROW = (Look(320),)
"""Names and widths depend on the language, colours do not."""
ALL_LOOKS = [
    Look(width, scheme, forced_colors)
    for width in (320, 390, 1280)
    for scheme in ("light", "dark")
    for forced_colors in ("none", "active")
]


def show_live_board_and_error(page):
    page.evaluate(
        """async (lines) => {
          const { LiveBoard } = await import('page/live_board.js');
          const { GameStore } = await import('page/game_store.js');
          const live = new LiveBoard(document.querySelector('#live'), new GameStore(null), 'x');
          live.feed(lines);
          document.querySelector('#watch').click();
        }""",
        wire(BOOT, *stages(DRAW)[:4]).decode(),
    )
    expect(page.locator("#board-error")).not_to_be_empty()
    expect(page.locator("#live .who")).not_to_be_empty()


@pytest.mark.parametrize(
    ("language", "looks"),
    [
        pytest.param("en-GB", FEW_LOOKS, id="English"),
        long("zh-CN", NARROW, id="Chinese"),
        long("en-GB", ALL_LOOKS, id="English-all"),
        long("zh-CN", ALL_LOOKS, id="Chinese-all"),
    ],
)
def test_everybody_can_use_every_part(open_page, language, looks):
    """axe-core finds no violations, and nothing is wider than the screen."""
    page = open_page(part="games", script=fake_serial(nothing=True), locale=language)
    add_games(page)
    page.locator("#game-list button").first.click()
    show_live_board_and_error(page)
    parts = page.evaluate("async () => Object.keys((await import('page/sections.js')).sections)")
    for part in parts:
        page.evaluate("(part) => { location.hash = part; }", part)
        expect(page.locator(f"#{part}")).to_be_visible()
        if part == "puzzles":
            page.locator("#show-move").click()
        for look in looks:
            page.set_viewport_size({"width": look.width, "height": 700})
            page.emulate_media(color_scheme=look.scheme, forced_colors=look.forced_colors)
            assert not violations(page, look.rules), (part, look)
            assert page.evaluate("document.documentElement.scrollWidth") <= look.width, part
        page.emulate_media(color_scheme="light", forced_colors="none")


def test_nothing_is_fetched_and_no_cookie_is_set(open_page):
    page, addresses = open_page(), set()
    page.context.on("request", lambda request: addresses.add(request.url.partition(":")[0]))
    page.reload()
    play(page, [5])
    headline(page, "Your turn")
    assert addresses <= {"file", "data"}
    assert page.evaluate("document.cookie") == ""


def test_play_alone_has_only_play_and_puzzles(open_page, tmp_path):
    path = tmp_path / "play.html"
    path.write_text(build_page.play_alone(), "utf-8")
    assert path.stat().st_size <= 120_000
    page = open_page(path)
    expect(page.get_by_role("navigation").get_by_role("link")).to_have_text(["Play", "Puzzles"])
    play(page, [5])
    expect(page.get_by_text("The chip played")).to_be_visible()
