"""Learning person by person."""
