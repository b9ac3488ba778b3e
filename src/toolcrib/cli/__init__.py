"""The command line, one file per verb; needs the extra `[cli]`."""
