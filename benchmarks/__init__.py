"""Measures toolcrib against a loop written by hand and against its peers."""
