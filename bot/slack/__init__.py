"""Slack: events, commands and presses in, blocks out."""
