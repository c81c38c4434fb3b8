"""Tests of the documentation: its pages, its site, and the examples for CI."""
