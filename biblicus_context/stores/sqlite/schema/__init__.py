"""The tables of a workspace and how values are kept in them."""
