"""A package, so that one Chromium can serve all files of it and ends with the last of them."""
