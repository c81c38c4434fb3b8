"""Files of users and messages of their threads: what a repository of them provides, and ours over a store."""
