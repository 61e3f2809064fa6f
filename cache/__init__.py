"""Remembers what was built; knows nothing of the rest."""
