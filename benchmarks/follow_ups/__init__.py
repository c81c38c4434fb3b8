"""What `follow_up: true` gains where users ask "and what about Team?", and what it costs elsewhere."""
