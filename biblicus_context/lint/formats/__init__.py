"""A report, written for people, for programs and for the services that show findings."""
