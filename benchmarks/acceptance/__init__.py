"""What a product owner expects of the four systems, on data of their own."""
