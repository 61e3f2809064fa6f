"""Microsoft Teams: activities in, Adaptive Cards out."""
