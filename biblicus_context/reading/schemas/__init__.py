"""JSON Schemas made from the declarations."""
