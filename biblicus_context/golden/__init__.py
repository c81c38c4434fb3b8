"""Golden tests: cases in YAML that declare what contexts are expected to assemble.

>>> from biblicus_context.reading.shipped import shipped
>>> run_tests([shipped("contexts")]).failed
0
"""

from biblicus_context.golden.report import FileReport, GoldenReport, Verdict
from biblicus_context.golden.running.file_run import GoldenOptions
from biblicus_context.golden.running.runner import run_tests

__all__ = ["FileReport", "GoldenOptions", "GoldenReport", "Verdict", "run_tests"]
