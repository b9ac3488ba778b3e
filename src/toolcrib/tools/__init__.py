"""Tools: what they are, where they come from, what they give back."""
