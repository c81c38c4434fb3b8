"""Systems: typed facades over plans that ship with the package; each knows its public names alone."""
