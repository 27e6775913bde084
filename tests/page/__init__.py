"""A package, so that its Chromium ends before another package starts one."""
