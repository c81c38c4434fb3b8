"""A Notion export as its program writes it, in both layouts: folders with ids, and without."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

HOME, LAUNCH, TASKS = (f"{number:032x}" for number in (0xA, 0xB, 0xC))
HALL, INVITE = (f"{number:032x}" for number in (0xD, 0xE))


def export(*, with_ids: bool = True) -> dict[str, str]:
    """The files: a page with a page and a database in it, with two rows with pages and one without."""
    home = f"Home {HOME}" if with_ids else "Home"
    tasks = f"Tasks {TASKS}" if with_ids else "Tasks"
    inside = f"Home%20{HOME}" if with_ids else "Home"
    return {
        f"Home {HOME}.md": f"# Home\n\nWelcome.\n\n[Tasks]({inside}/Tasks%20{TASKS}.csv)\n\n"
        f"[Launch]({inside}/Launch%20{LAUNCH}.md)\n",
        f"{home}/Launch {LAUNCH}.md": "# Launch: the plan\n\nWe ship on Friday.\n\n- [ ] Book the hall\n",
        f"{home}/Tasks {TASKS}.csv": "\ufeffName,Status,Due,Page,Tags\nBook the hall,Open,\"May 8, 2026\","
        f"Launch (Launch%20{LAUNCH}.md),\"venue, urgent\"\n",
        f"{home}/Tasks {TASKS}_all.csv": "\ufeffName,Status,Due,Page,Tags\nInvite: the guests!,Done,,,\n"
        f"Book the hall,Open,\"May 8, 2026\",Launch (Launch%20{LAUNCH}.md),\"venue, urgent\"\n"
        "Order tea,Open,,,\n",
        f"{home}/{tasks}/Book the hall {HALL}.md": "# Book the hall\n\nStatus: Open\nDue: May 8, 2026\n"
        f"Page: Launch (../Launch%20{LAUNCH}.md)\nTags: venue, urgent\n"
        "Created: May 1, 2026 4:05 PM\n\nCall them first.\n",
        f"{home}/{tasks}/Invite the guests {INVITE}.md": "# Invite: the guests!\n\nStatus: Done\n\n"
        f"See [the hall](Book%20the%20hall%20{HALL}.md).\n",
        f"{home}/{tasks}/plan.png": "\x89PNG",
    }  # fmt: skip


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """An archive of these files."""
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def archive_of(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """The archive at a path."""
    path.write_bytes(zipped(files))
    return path
