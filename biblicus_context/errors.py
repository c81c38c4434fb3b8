"""One tree of errors; each states the place, what was found, what is valid and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Self

from biblicus_context.installation import install_command

if TYPE_CHECKING:
    from biblicus_context.assembly.result.receipt import Receipt


MOST_LISTED = 20
"""The most names that an error lists."""
_LONGEST = 200
"""Characters of a value that an error shows."""


class ContextError(ValueError):
    """The root of all errors that this package raises.

    >>> str(ContextError("unknown overflow", found="compct", valid=["compact", "error", "none"]))
    "unknown overflow: found 'compct'. Valid: compact, error, none. Did you mean 'compact'?"
    """

    def __init__(
        self,
        problem: str,
        *,
        place: str | None = None,
        found: object = None,
        valid: Iterable[str] = (),
        fix: str | None = None,
    ) -> None:
        self.problem = problem
        self.place = place
        self.found = found
        self.valid = tuple(valid)
        self.fix = fix
        super().__init__(self._sentence())

    def at(self, place: str) -> Self:
        """The error with this place, unless it already has one."""
        if self.place is None:
            self.place = place
            self.args = (self._sentence(),)
        return self

    def within(self, place: str) -> Self:
        """The error with its place inside another one.

        >>> str(ContextError("unknown option", place="selection 'knapsack'").within("retriever 'kb'"))
        "retriever 'kb': selection 'knapsack': unknown option"
        """
        self.place = f"{place}: {self.place}" if self.place else place
        self.args = (self._sentence(),)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would call the class with the message only, but most classes take other arguments.
        return _restored, (type(self), self.args), vars(self)

    def _sentence(self) -> str:
        text = f"{self.place}: {self.problem}" if self.place else self.problem
        if self.found is not None:
            text += f": found {shown(self.found)}"
        if self.valid:
            text = f"{_ended(text)} Valid: {', '.join(self.valid)}"
            guess = nearest(self.found, self.valid) if isinstance(self.found, str) else None
            if guess:
                text = f"{_ended(text)} Did you mean {guess!r}?"
        if self.fix:
            text = f"{_ended(text)} {self.fix}"
        return text


def _restored(kind: type[ContextError], said: tuple[object, ...]) -> ContextError:
    """Create an error for unpickling, before its fields are set."""
    return kind.__new__(kind, *said)


class PlanError(ContextError):
    """The declaration is contradictory or impossible: the plan must change."""


class LoadError(PlanError):
    """A file cannot be read as declarations; `file`, `line` and `column` are the place.

    `mistake` is the stable name of the problem in a plan file; the linter has a rule for each.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str,
        line: int | None = None,
        column: int | None = None,
        found: object = None,
        valid: Iterable[str] = (),
        fix: str | None = None,
        mistake: str | None = None,
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.mistake = mistake
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(problem, place=place, found=found, valid=valid, fix=fix)


class ProjectError(LoadError):
    """A project's files have several problems; `problems` lists all, in file order."""

    def __init__(self, problems: Iterable[LoadError]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        listed = "".join(f"\n  {problem}" for problem in self.problems)
        super().__init__("", file=first.file, line=first.line, column=first.column)
        self.problem = f"{len(self.problems)} problems:{listed}"
        self.args = (self.problem,)


class UnknownNameError(PlanError):
    """A name is not declared; `known` lists the declared names."""

    def __init__(
        self, noun: str, name: str, known: Iterable[str], *, place: str | None = None
    ) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(
            f"{noun} '{_shortened(name)}' not defined", place=place, fix=_known(name, self.known)
        )


class UnknownPackError(UnknownNameError, NotImplementedError):
    """A `context` directive names neither a context nor a retriever."""

    def __init__(self, name: str, known: Iterable[str], *, place: str | None = None) -> None:
        self.name = name
        self.known = tuple(sorted(known))
        PlanError.__init__(
            self,
            f"Context pack '{name}' is not available. "
            "Only Context or retriever packs are supported",
            place=place,
            fix=_known(name, self.known),
        )


class CycleError(PlanError):
    """Contexts insert each other in a cycle; `path` walks it once around."""

    def __init__(self, path: Iterable[str]) -> None:
        self.path = tuple(path)
        super().__init__(
            f"contexts insert each other in a cycle: {' -> '.join(self.path)}",
            fix="Remove one of these inserts.",
        )


class TemplateError(ContextError):
    """A template cannot be parsed, or uses an unknown name."""


class InputError(ContextError):
    """The caller passed something that is not accepted."""


class BudgetError(ContextError):
    """The parts that cannot shrink exceed the budget; `parts` has their sizes in tokens."""

    def __init__(
        self,
        problem: str,
        *,
        budget: int | None = None,
        needed: int | None = None,
        parts: Mapping[str, int] | None = None,
        receipt: Receipt | None = None,
        fix: str | None = None,
    ) -> None:
        self.budget = budget
        self.needed = needed
        self.parts = dict(parts or {})
        self.receipt = receipt
        sizes = ", ".join(f"{name} {tokens}" for name, tokens in self.parts.items())
        super().__init__(f"{problem} ({sizes})" if sizes else problem, fix=fix)


class RetrieverError(ContextError):
    """A retriever failed or returned an invalid answer; `pack` is its name."""

    def __init__(self, pack: str, problem: str, *, fix: str | None = None) -> None:
        self.pack = pack
        self.reason = problem
        super().__init__(f"retriever '{pack}' {problem}", fix=fix)


class EmbedderError(ContextError):
    """An embedder failed or returned invalid vectors."""


class CompactorError(ContextError):
    """A compactor failed, and the policy has no fallback."""


class FormatError(ContextError):
    """A conversation cannot be expressed in a provider's format without changing it."""


class MissingExtraError(ContextError, ImportError):
    """An optional library is not installed; the message has the line that installs it."""

    def __init__(self, library: str, extra: str, *, command: str | None = None) -> None:
        self.library = library
        self.extra = extra
        command = command or install_command(extra)
        ContextError.__init__(
            self, f"'{library}' is not installed", fix=f"Install it with: {command}"
        )


_CALLED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("bm25", "words", "lexical", "sparse"), "keyword"),
    **dict.fromkeys(
        ("semantic", "embedding", "embeddings", "dense", "similarity_search"), "vector"
    ),
    **dict.fromkeys(("ai", "bot"), "assistant"),
    "human": "user",
    **dict.fromkeys(("placeholder", "messages_placeholder", "chat_history", "memory"), "history"),
    "retriever": "context",
}
"""What other libraries call the same thing; no two letters of it need to be alike."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to a misspelt one, or None if none is close."""
    known = list(known)
    if _CALLED.get(name.lower()) in known:
        return _CALLED[name.lower()]
    from rapidfuzz import fuzz, process  # loaded only when something is wrong

    # In a name of two letters one wrong letter is half of it, but still a typing error.
    cutoff = 50 if len(name) <= 3 else 60
    match = process.extractOne(name, list(known), scorer=fuzz.ratio, score_cutoff=cutoff)
    return match[0] if match else None


def closest(name: str, known: Iterable[str]) -> list[str]:
    """The known names closest to a misspelt one, up to the number that an error lists."""
    from rapidfuzz import fuzz, process  # loaded only when something is wrong

    found = process.extract(name, list(known), scorer=fuzz.ratio, limit=MOST_LISTED)
    return [match[0] for match in found]


def _known(name: str, known: tuple[str, ...]) -> str:
    if not known:
        return "None are defined."
    guess = nearest(name, known)
    if len(known) > MOST_LISTED:
        listed = f"Known, nearest first: {', '.join(closest(name, known))}, ..."
    else:
        listed = f"Known: {', '.join(known)}."
    return f"{listed} Did you mean '{guess}'?" if guess else listed


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def shown(value: object) -> str:
    """The beginning of what `repr` writes, and no more work than that, however large the value is."""
    text = ""
    try:
        for piece in _written(value):
            text += piece
            if len(text) > _LONGEST:
                break
    except Exception:  # a value's own `repr` may raise anything, and an error must be written
        return f"a {type(value).__name__} that cannot be written"
    return _shortened(text)


def _written(value: object) -> Iterator[str]:
    if type(value) is str:
        yield repr(value[: 2 * _LONGEST])
    elif type(value) is dict:
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield f"{', ' if number else ''}{key!r}: "
            yield from _written(item)
        yield "}"
    elif type(value) is list or type(value) is tuple:
        opening, closing = "[]" if type(value) is list else "()"
        yield opening
        for number, item in enumerate(value):
            yield ", " if number else ""
            yield from _written(item)
        yield f",{closing}" if closing == ")" and len(value) == 1 else closing
    else:
        yield repr(value)


def _shortened(text: str, limit: int = _LONGEST) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
