"""How this package was installed here, and the command that adds one of its extras."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_NAME: Final = "biblicus-context"
_CHECKOUT: Final = Path(__file__).resolve().parents[1]


def install_command(extra: str) -> str:
    """The command that adds an extra to this very installation: a checkout, a wheel, a repository or an index."""
    from importlib.metadata import PackageNotFoundError, distribution  # a third of a start

    try:
        found = distribution(_NAME)
    except PackageNotFoundError:  # found on the path, and never installed
        return _command("pip", [f"{_CHECKOUT}[{extra}]"])
    installer = _installer(found)
    origin = _origin(found)
    if origin is None:
        return _command(installer, [f"{_NAME}[{extra}]"])
    if (vcs := origin.get("vcs_info")) is not None:
        address = f"{vcs['vcs']}+{origin['url']}"
        at = vcs.get("requested_revision")
        return _command(installer, [f"{_NAME}[{extra}] @ {address}" + (f"@{at}" if at else "")])
    path = _path(str(origin["url"]))
    if path is None:
        return _command(installer, [f"{_NAME}[{extra}] @ {origin['url']}"])
    if not path.exists():  # such as a wheel that was deleted once it was installed
        return _command(installer, _requirements(found, extra))
    is_editable = bool(origin.get("dir_info", {}).get("editable"))
    return _command(installer, [*(["--editable"] if is_editable else []), f"{path}[{extra}]"])


def _command(installer: str, arguments: list[str]) -> str:
    import shlex  # with the above, only who lacks a library needs it

    quoted = [each if each.startswith("--") else shlex.quote(each) for each in arguments]
    return " ".join([installer, "install", *quoted])


def _installer(found: Distribution) -> str:
    """Environments that uv makes have no pip."""
    return "uv pip" if (found.read_text("INSTALLER") or "").strip() == "uv" else "pip"


def _origin(found: Distribution) -> Mapping[str, Any] | None:
    """Where it came from, as installers record it; None for a package of an index."""
    import json  # as above

    text = found.read_text("direct_url.json")
    try:
        origin = json.loads(text) if text else None
    except ValueError:
        return None
    return origin if isinstance(origin, dict) and "url" in origin else None


def _path(url: str) -> Path | None:
    from urllib.parse import urlsplit  # as above
    from urllib.request import url2pathname

    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _requirements(found: Distribution, extra: str) -> list[str]:
    """The libraries of an extra, as the metadata of the package states them."""
    marked = [each.partition(";") for each in found.requires or []]
    names = [name.strip() for name, _, marker in marked if _is_of(marker, extra)]
    return names or [f"{_NAME}[{extra}]"]


def _is_of(marker: str, extra: str) -> bool:
    return f"extra == {extra!r}" in marker.replace('"', "'")
