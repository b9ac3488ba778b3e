"""The version of this distribution, read by the build and shown by the command line."""

__version__ = "0.1.0.dev0"
