"""The data flow: what goes into an assembly, its steps in running order, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from biblicus_context.assembly.pipeline import STEPS
from generators.pictures.svg import SANS, box, svg, text

_STEPS: Final[Mapping[str, tuple[str, str]]] = {
    "resolve": ("directives to parts,", "templates filled in"),
    "share": ("the budget is divided", "among the packs"),
    "gather": ("packs are retrieved,", "merged, paged"),
    "fit": ("the plan shrinks in its", "order until it fits"),
    "place": ("messages are placed", "and counted again"),
}
_INPUTS: Final = {
    "resolve": ("plan, inputs", "YAML, and values"),
    "gather": ("corpora", "files, indexed"),
    "fit": ("history", "the conversation"),
}
_OUTPUTS: Final = {
    "fit": ("messages", "within the budget"),
    "place": ("receipt", "every token's reason"),
}
_NAMES: Final = [*(name for name, _ in STEPS), "place"]
_WIDTH: Final = 900
_HEIGHT: Final = 322
_CELL: Final = _WIDTH / len(_NAMES)
_BOX: Final = 152
_STYLE: Final = f"""<style>
:root {{ color-scheme: light dark; --text: #1b1f27; --soft: #5b6472; --line: #c9ced6;
  --sheet: #f6f7f9; --step: #4353c8; --out: #0b7d74; }}
@media (prefers-color-scheme: dark) {{ :root {{ --text: #e6e9ef; --soft: #9aa4b4; --line: #3a414d;
  --sheet: #1b1f26; --step: #97a5ff; --out: #4fd1c5; }} }}
text {{ font: 12.5px {SANS}; fill: var(--soft); text-anchor: middle; }}
.name {{ font-size: 15px; font-weight: 650; fill: var(--text); }}
.sheet {{ fill: var(--sheet); stroke: var(--line); }}
.step {{ fill: var(--sheet); stroke: var(--step); stroke-width: 1.5; }}
.out {{ fill: var(--sheet); stroke: var(--out); stroke-width: 1.5; }}
path {{ fill: none; stroke: var(--soft); stroke-width: 1.5; marker-end: url(#tip); }}
#tip path {{ fill: var(--soft); stroke: none; marker-end: none; }}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6"
  orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>"""


def picture() -> str:
    """Three rows: what goes in, the steps, what comes out."""
    rows = [
        *(_cell(name, 14, "sheet", *words) for name, words in _INPUTS.items()),
        *(_cell(name, 122, "step", name, *_STEPS[name]) for name in _NAMES),
        *(_cell(name, 256, "out", *words) for name, words in _OUTPUTS.items()),
        *(_arrow(_middle(name), 64, "V118") for name in _INPUTS),
        *(_arrow(_middle(name) + _BOX / 2 + 4, 156, "h20") for name in _NAMES[:-1]),
        _arrow(_middle("place"), 190, "V252"),
        _arrow(_middle("place") - 40, 190, f"V222H{_middle('fit'):g}V252"),
        _arrow(_middle("fit") - 40, 190, f"V222H{_middle('gather'):g}V194"),
        text((_middle("gather") + _middle("fit")) / 2 - 20, 240, "asked again with less"),
    ]
    title = f"Plan, inputs, corpora and history go through the steps {', '.join(_NAMES)}."
    return svg(_WIDTH, _HEIGHT, f"{title} Messages and a receipt come out.", _STYLE, *rows)


def _middle(name: str) -> float:
    return _CELL * (_NAMES.index(name) + 0.5)


def _cell(step: str, y: float, kind: str, name: str, *notes: str) -> str:
    x = _middle(step)
    lines = [text(x, y + 40 + 17 * number, note) for number, note in enumerate(notes)]
    frame = box(x - _BOX / 2, y, _BOX, 32 + 17 * len(notes), kind)
    return "\n".join([frame, text(x, y + 22, name, class_="name"), *lines])


def _arrow(x: float, y: float, path: str) -> str:
    return f'<path d="M{x:g} {y:g}{path}"/>'
