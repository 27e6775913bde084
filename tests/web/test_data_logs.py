"""Files that are chosen or dropped on the page of the boards."""

from dataclasses import replace

from playwright.sync_api import expect

from data_logs import HEADING, data_log, row
from noughts.store.store import Store
from sample_games import stages

PLAYED = [replace(stages([4, 0, 8], "x", number=n)[-1], boot="3E5A5FD2") for n in (1, 2)]
DROP = """
(data) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([data], 'short.htm'));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }));
}
"""


def test_a_data_log_is_chosen_and_one_is_dropped(serve, page, tmp_path):
    (tmp_path / "anna.htm").write_bytes(data_log(HEADING, *map(row, PLAYED)))
    page.goto(f"{serve().url}/boards")
    section = page.get_by_role("region", name="Games of a V2")
    expect(section).to_be_visible()  # from then on this browser may change something
    said = section.get_by_role("listitem")
    page.get_by_label("MY_DATA.HTM").set_input_files(tmp_path / "anna.htm")
    expect(said).to_have_text(["anna.htm: 2 games, 2 new"])
    page.get_by_label("MY_DATA.HTM").set_input_files(tmp_path / "anna.htm")
    expect(said).to_have_text(["anna.htm: 2 games, 0 new", "anna.htm: 2 games, 2 new"])
    with page.expect_response("**/api/logs"):
        page.evaluate(DROP, "<html>")
    expect(said.first).to_contain_text("✗ short.htm is not a micro:bit's data log; copy")
    page.errors.clear()  # the browser notes every answer of 400
    with Store(tmp_path / "games.db") as store:
        assert store.read("SELECT count(*) FROM games") == [(2,)]
