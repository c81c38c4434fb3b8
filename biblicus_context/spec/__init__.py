"""What an author may write: frozen models, one noun a file."""
