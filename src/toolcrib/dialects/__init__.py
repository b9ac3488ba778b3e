"""Wire dialects: how each provider spells requests and replies. Pure data in, pure data out."""
