"""The pictures of the documentation, as SVG: `pictures()` draws all of them."""

from __future__ import annotations

from collections.abc import Mapping

from generators.pictures import explain_page, flow, terminal


def pictures() -> Mapping[str, str]:
    """Every picture by the name of its file."""
    return {
        "explain.svg": explain_page.picture(),
        "flow.svg": flow.picture(),
        "terminal.svg": terminal.picture(),
    }
