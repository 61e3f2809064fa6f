"""Where people ask: the command line, Slack and Teams."""

__version__ = "0.1.0"
