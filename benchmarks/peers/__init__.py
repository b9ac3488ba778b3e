"""One module for each runner: how it holds a conversation, reads arguments and registers functions."""
