"""Keeps the tables fresh."""
