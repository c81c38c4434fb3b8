"""Files, folders and connections of a SQLite store."""
