"""The linter: rules look at every document of a project and say what will go wrong."""
