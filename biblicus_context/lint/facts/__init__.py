"""What rules want to know about a document and its project, worked out once."""
