"""Tactus procedures whose contexts this engine assembles; `auto` installs it by being imported."""

from biblicus_context.integrations.tactus.engine import Engine
from biblicus_context.integrations.tactus.host import HostError, host
from biblicus_context.integrations.tactus.installation import (
    install,
    installed,
    is_installed,
    uninstall,
)

__all__ = ["Engine", "HostError", "host", "install", "installed", "is_installed", "uninstall"]
