"""Remembers what was built; knows nothing of the rest.

`versions.Store` keeps built files, which are the truth; `hints.Hints` keeps what may be lost at any moment.
"""
