"""The commands of the command line, by what they are for. What is heavy is imported inside each."""
