"""Installs the engine where it is imported, or named in TOOL_PATHS or in a plugin toolset.

The environment variable BIBLICUS_CONTEXT_PATHS may name files and folders of YAML.
"""

import os as _os

from biblicus_context.integrations.tactus import install as _install, is_installed as _is_installed

if not _is_installed():  # a host that has installed it has said how
    _paths = _os.environ.get("BIBLICUS_CONTEXT_PATHS", "")
    _install(*filter(None, _paths.split(_os.pathsep)))
