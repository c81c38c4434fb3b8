"""Files of users and messages of their threads: where they come from, and their home in a store."""
