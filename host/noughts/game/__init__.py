"""The game as pure functions: positions, their values, matches, proofs and reviews."""
