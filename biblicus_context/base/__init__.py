"""The ground floor: every room may use it, and it uses no other room."""
