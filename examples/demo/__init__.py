"""A real conversation with a small local model, shown step by step: `make demo`."""
