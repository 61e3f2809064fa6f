"""Queries that are written as SQL: what they may say, what they mean on the built tables, and how they run behind two walls."""
