"""Systems: applications over plans that ship with the package; each owns what only it uses."""
