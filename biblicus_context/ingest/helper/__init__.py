"""A second process that cuts files."""
