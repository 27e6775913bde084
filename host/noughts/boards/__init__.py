"""Boards behind one interface (`base.Board`): emulated and simulated ones."""
