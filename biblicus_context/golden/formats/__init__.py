"""A report of golden tests, written for people, for programs and for CI servers."""
