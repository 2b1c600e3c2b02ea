"""Events: read, made of text and of tables, derived from other events."""
