"""The command line: parsing arguments and printing, nothing else."""
