"""What a combined retriever passes on, written out: the oracle of the properties."""

from __future__ import annotations

from typing import Any

KEYS = ("corpus", "filters", "format")


def passed_on(config: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """The settings after those above them were passed on."""
    if config.get("retriever_id") != "combined":
        return {**above, **config}
    own = {**above, **{key: config[key] for key in KEYS if key in config}}
    rest = {key: each for key, each in config.items() if key not in KEYS}
    in_place = all("retriever_id" in each for each in config["of"])
    kept, passed = ({}, own) if in_place else (own, {})
    return {
        **kept,
        **rest,
        "of": [
            passed_on(each, passed) if "retriever_id" in each else each for each in config["of"]
        ],
    }
