"""Agent: instructions, a model and tools, ready to be run."""
