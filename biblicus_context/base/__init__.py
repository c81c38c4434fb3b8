"""The ground floor: what every room may use, and what uses no room."""
