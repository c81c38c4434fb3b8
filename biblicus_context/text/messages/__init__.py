"""What messages cost in each provider's shape."""
