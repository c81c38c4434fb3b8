"""The addresses in the package's metadata: those of the repository that it is built in.

They are not written down a second time, so a fork never names the repository of somebody else.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_SSH = re.compile(r"^(?:ssh://)?git@([^:/]+)[:/](.+)$")


class RepositoryUrls(MetadataHookInterface):
    """`[project.urls]`, from the workflow's environment or the remote `origin`."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = _repository(self.root)
        metadata["urls"] = {} if repository is None else urls(repository)


def urls(repository: str) -> dict[str, str]:
    """The pages of a repository by what they are."""
    return {
        "Repository": repository,
        "Documentation": f"{repository}/blob/main/docs/index.md",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def web_address(remote: str) -> str | None:
    """The page of a remote in a browser; None where it is no page, such as a folder.

    >>> web_address("git@git.example:team/context.git")
    'https://git.example/team/context'
    """
    remote = _SSH.sub(r"https://\1/\2", remote.strip())
    page = re.fullmatch(r"https://(?:[^@/]+@)?([^/]+/.+?)(?:\.git)?/?", remote)
    return f"https://{page[1]}" if page else None


def _repository(root: str) -> str | None:
    name = os.environ.get("GITHUB_REPOSITORY")
    if name:
        return f"{os.environ.get('GITHUB_SERVER_URL', '').rstrip('/')}/{name}"
    command = ["git", "-C", root, "remote", "get-url", "origin"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return web_address(done.stdout)
