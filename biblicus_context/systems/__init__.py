"""Systems: applications over plans that ship with the package; each owns what only it uses."""

from biblicus_context.systems.synchronous import Synchronous as Synchronous
