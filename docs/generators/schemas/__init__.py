"""JSON Schemas, made from the models of the package."""
