"""What device/README.md says of the heap is what the firmware does."""

from device_memory import table


def test_the_table_is_measured(repository):
    assert table() in (repository / "device" / "README.md").read_text("utf-8")
