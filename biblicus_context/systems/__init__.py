"""Systems: typed facades over plans that ship with the package; each knows its public names alone."""

from biblicus_context.systems.synchronous import Synchronous as Synchronous
