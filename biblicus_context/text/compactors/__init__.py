"""Compactors: they make a text fit a number of tokens."""

from biblicus_context.text.compactors.chain import ChainCompactor
from biblicus_context.text.compactors.checked import Shortened, shorten_checked
from biblicus_context.text.compactors.compactor import (
    BaseCompactor,
    CompactionRequest,
    CuttingCompactor,
)
from biblicus_context.text.compactors.drop_blocks import DropBlocksCompactor
from biblicus_context.text.compactors.extractive import ExtractiveCompactor
from biblicus_context.text.compactors.function import FunctionCompactor
from biblicus_context.text.compactors.head_tail import HeadTailCompactor
from biblicus_context.text.compactors.long_only import LongOnlyCompactor
from biblicus_context.text.compactors.registry import Compactors, build_compactor
from biblicus_context.text.compactors.summarize import SummarizeCompactor
from biblicus_context.text.compactors.summary import SummaryCompactor
from biblicus_context.text.compactors.tail import TailCompactor
from biblicus_context.text.compactors.truncate import TruncateCompactor

__all__ = [
    "BaseCompactor",
    "ChainCompactor",
    "CompactionRequest",
    "Compactors",
    "CuttingCompactor",
    "DropBlocksCompactor",
    "ExtractiveCompactor",
    "FunctionCompactor",
    "HeadTailCompactor",
    "LongOnlyCompactor",
    "Shortened",
    "SummarizeCompactor",
    "SummaryCompactor",
    "TailCompactor",
    "TruncateCompactor",
    "build_compactor",
    "shorten_checked",
]
