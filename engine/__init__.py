"""Answers a question from the tables of a catalog."""
