"""The command that adds an extra works where it is printed: it depends on how the package was installed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from biblicus_context.errors import MissingExtraError
from biblicus_context.installation import install_command

METADATA = """\
Metadata-Version: 2.4
Name: biblicus-context
Version: 0.1.0
Requires-Dist: click<9,>=8.1
Provides-Extra: corpus
Requires-Dist: numpy>=2.0; extra == 'corpus'
Requires-Dist: pypdf>=5; extra == "corpus"
Provides-Extra: langchain
Requires-Dist: langchain-core<2,>=1; extra == 'langchain'
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs only what an installer would record: the metadata of a package."""

    def install(origin: dict[str, Any] | None, installer: str = "pip") -> None:
        folder = tmp_path / "site" / "biblicus_context-0.1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(METADATA, "utf-8")
        (folder / "INSTALLER").write_text(f"{installer}\n", "utf-8")
        if origin is not None:
            (folder / "direct_url.json").write_text(json.dumps(origin), "utf-8")
        monkeypatch.syspath_prepend(folder.parent)

    return install


def test_a_checkout_is_installed_again_from_where_it_is(installed, tmp_path: Path) -> None:
    checkout = tmp_path / "a checkout"
    checkout.mkdir()
    installed({"url": checkout.as_uri(), "dir_info": {}})
    assert shlex.split(install_command("corpus")) == ["pip", "install", f"{checkout}[corpus]"]


def test_a_checkout_that_is_edited_stays_editable(installed, tmp_path: Path) -> None:
    installed({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert shlex.split(install_command("granite"))[2:] == ["--editable", f"{tmp_path}[granite]"]


def test_a_wheel_is_installed_again_from_its_file(installed, tmp_path: Path) -> None:
    wheel = tmp_path / "biblicus_context-0.1.0-py3-none-any.whl"
    wheel.touch()
    installed({"url": wheel.as_uri(), "archive_info": {}})
    assert install_command("corpus") == f"pip install '{wheel}[corpus]'"


def test_of_a_wheel_that_is_gone_the_libraries_of_the_extra_are_installed(
    installed, tmp_path: Path
) -> None:
    installed({"url": (tmp_path / "gone.whl").as_uri(), "archive_info": {}})
    assert install_command("corpus") == "pip install 'numpy>=2.0' 'pypdf>=5'"
    assert install_command("langchain") == "pip install 'langchain-core<2,>=1'"


def test_a_repository_is_named_with_its_revision(installed) -> None:
    vcs = {"vcs": "git", "requested_revision": "v0.1.0", "commit_id": "a" * 40}
    installed({"url": "https://git.example/context.git", "vcs_info": vcs})
    wanted = "biblicus-context[corpus] @ git+https://git.example/context.git@v0.1.0"
    assert shlex.split(install_command("corpus")) == ["pip", "install", wanted]


def test_a_package_of_an_index_is_named_alone(installed) -> None:
    installed(None)
    assert install_command("corpus") == "pip install 'biblicus-context[corpus]'"


def test_environments_of_uv_have_no_pip(installed) -> None:
    installed(None, installer="uv")
    assert install_command("corpus") == "uv pip install 'biblicus-context[corpus]'"


def test_what_cannot_be_read_of_an_origin_is_no_origin(installed, tmp_path: Path) -> None:
    installed(None)
    folder = next((tmp_path / "site").iterdir())
    (folder / "direct_url.json").write_text("{", "utf-8")
    assert install_command("corpus") == "pip install 'biblicus-context[corpus]'"


def test_the_error_of_a_missing_library_has_the_command(installed, tmp_path: Path) -> None:
    installed({"url": tmp_path.as_uri(), "dir_info": {}})
    error = MissingExtraError("httpx", "embeddings-server")
    command = f"pip install '{tmp_path}[embeddings-server]'"
    assert str(error) == f"'httpx' is not installed. Install it with: {command}"
