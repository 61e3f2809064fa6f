"""Builds what questions are asked of: a SQLite file and LanceDB tables for each source table."""
