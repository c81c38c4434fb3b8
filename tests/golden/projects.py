"""Small projects with golden tests, written where a test may write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import dedent

from biblicus_context.golden import GoldenOptions, GoldenReport, Verdict, run_tests

PLANS = """\
kind: context
name: support
policy:
  input_budget: {max_tokens: 90}
  pack_budget: {default_ratio: 0.5}
messages:
  - {type: system, content: You are a support agent. Answer from the handbook.}
  - {type: context, name: handbook}
  - {type: history, keep_last: 1}
  - {type: user, content: "Question: {input.question}"}
---
kind: retriever
name: handbook
config: {query: "{input.question}", limit: 3}
---
kind: context
name: outer
messages:
  - {type: context, name: inner}
  - {type: context, name: news}
  - {type: user, content: "Question: {input.question}"}
---
kind: context
name: inner
messages:
  - {type: system, content: Be brief.}
  - {type: context, name: handbook, on_error: skip, timeout_seconds: 2}
---
kind: retriever
name: news
"""
DEFAULTS = """\
kind: contexts-test
defaults:
  context: support
  inputs: {question: What now?}
  packs:
    handbook:
      - {id: lost, text: A parcel is lost when it has not moved for ten days. Then we send another one.}
      - {id: delivery, text: Orders leave the warehouse within a day. A parcel takes three days at home.}
      - {id: gifts, text: Gift wrapping costs two euros. The bill is sent to whoever has paid.}
    news: [It is spring., It is warm.]
"""


class Folder:
    """A folder with plans and tests."""

    def __init__(self, path: Path, plans: str = PLANS) -> None:
        self.path = path
        self.write("contexts/plans.yaml", plans)

    def write(self, name: str, text: str) -> Path:
        """A file in it."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        return file

    def test_file(self, cases: str, name: str = "contexts/x.test.yaml") -> Path:
        """Tests of the support context, which need to say only what is special about them."""
        return self.write(name, f"{DEFAULTS}cases:\n{dedent(cases)}")

    def run(
        self, options: GoldenOptions | None = None, paths: Iterable[str] = ("contexts",)
    ) -> GoldenReport:
        """What its tests come to."""
        return run_tests([self.path / each for each in paths], options or GoldenOptions())

    def verdicts(self, cases: str) -> list[Verdict]:
        """What these cases come to."""
        self.test_file(cases)
        (file,) = self.run().files
        assert not file.troubles
        return list(file.verdicts)

    def verdict(self, case: str) -> Verdict:
        """What a case without a name comes to."""
        (verdict,) = self.verdicts(f"  - {{name: it, {case}}}")
        return verdict


def said(verdict: Verdict) -> list[str]:
    """What does not hold, in one line each."""
    return [
        ": ".join(filter(None, (each.expectation, each.problem, each.expected, each.found)))
        for each in verdict.failures
    ]
