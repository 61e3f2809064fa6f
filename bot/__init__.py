"""Where people ask: the command line, Slack and Teams."""
