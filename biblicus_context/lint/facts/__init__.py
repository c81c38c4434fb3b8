"""What rules may ask about a plan and its project."""
