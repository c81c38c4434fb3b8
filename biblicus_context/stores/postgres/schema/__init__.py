"""The tables of a store, and how those of an older release become those of this one."""
