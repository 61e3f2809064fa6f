"""The conversation that every surface shares: one handler, what it remembers, and what it says."""
