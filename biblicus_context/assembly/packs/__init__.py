"""How a pack is asked for, fitted and put in order."""
