"""A block workspace: pages, blocks and rows, and contexts about them."""

from biblicus_context.systems.workspace.block_store import BlockStore as BlockStore
from biblicus_context.systems.workspace.builder import ContextBuilder as ContextBuilder
from biblicus_context.systems.workspace.models import *  # noqa: F403 - every model is public
