"""What decides: the loop as a generator that asks questions and never waits."""
