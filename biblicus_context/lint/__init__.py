"""The linter: rules look at every document of a project and say what will go wrong."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False  # rules are loaded by who lints

if TYPE_CHECKING:
    from biblicus_context.lint.engine.finding import (
        Edit as Edit,
        Finding as Finding,
        Severity as Severity,
    )
    from biblicus_context.lint.engine.linted_file import (
        LintedFile as LintedFile,
        read_file as read_file,
    )
    from biblicus_context.lint.engine.report import LintReport as LintReport
    from biblicus_context.lint.engine.rule_book import rule_book as rule_book
    from biblicus_context.lint.engine.runner import lint as lint
    from biblicus_context.lint.engine.settings import (
        LintSettings as LintSettings,
        load_settings as load_settings,
    )
    from biblicus_context.lint.facts.budgets.pack_shares import (
        PackShare as PackShare,
        pack_shares as pack_shares,
    )
    from biblicus_context.lint.facts.project.declarations import Declarations as Declarations
    from biblicus_context.lint.facts.project.plan import Plan as Plan
    from biblicus_context.lint.facts.project.python_names import (
        declarations_of as declarations_of,
    )
    from biblicus_context.lint.facts.templates.texts import (
        place_of as place_of,
        texts as texts,
    )
else:
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "engine.finding": "Edit Finding Severity",
            "engine.linted_file": "LintedFile read_file",
            "engine.report": "LintReport",
            "engine.rule_book": "rule_book",
            "engine.runner": "lint",
            "engine.settings": "LintSettings load_settings",
            "facts.budgets.pack_shares": "PackShare pack_shares",
            "facts.project.declarations": "Declarations",
            "facts.project.plan": "Plan",
            "facts.project.python_names": "declarations_of",
            "facts.templates.texts": "place_of texts",
        },
    )
