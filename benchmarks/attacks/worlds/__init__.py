"""Systems that many tenants use at once, each next to a system that one tenant has alone."""
