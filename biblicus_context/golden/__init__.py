"""Golden tests: cases in YAML that declare what contexts are expected to assemble.

>>> from biblicus_context.golden import run_tests
>>> from biblicus_context.reading.shipped import shipped
>>> run_tests([shipped("contexts")]).failed
0
"""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.golden.recording import (
        KnownCall as KnownCall,
        add_case as add_case,
        case_text as case_text,
        known_calls as known_calls,
        recorded_case as recorded_case,
    )
    from biblicus_context.golden.report import (
        FileReport as FileReport,
        GoldenReport as GoldenReport,
        Verdict as Verdict,
    )
    from biblicus_context.golden.running.file_run import GoldenOptions as GoldenOptions
    from biblicus_context.golden.running.runner import run_tests as run_tests

else:  # commands read recorded answers, and few of them run tests
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "recording": "KnownCall add_case case_text known_calls recorded_case",
            "report": "FileReport GoldenReport Verdict",
            "running.file_run": "GoldenOptions",
            "running.runner": "run_tests",
        },
    )
