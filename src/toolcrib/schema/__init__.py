"""Types and texts against JSON Schema: from signature to schema, from argument text to values."""
