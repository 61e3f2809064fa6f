"""Keeps the tables fresh, and knows when something is to be done again."""
