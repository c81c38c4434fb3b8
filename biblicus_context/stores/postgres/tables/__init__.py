"""Tables that people already have: what is read of them, and never written."""
