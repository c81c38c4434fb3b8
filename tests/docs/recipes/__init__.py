"""The other end of the recipes: a model's endpoint on this machine."""
