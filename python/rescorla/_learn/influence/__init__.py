"""What each event and each parameter did to a weight."""
