"""For authors of extensions: a contract that every store keeps, and a store in memory."""
