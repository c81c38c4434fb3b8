"""The vocabularies in splintr's wheel, listed without loading it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Vocabulary(NamedTuple):
    """A vocabulary's names, and whether it can be counted paragraph by paragraph.

    `splits_at_paragraphs` is set if no token reaches from a blank line into the next paragraph (see
    `paragraphs`): the split pattern ends a token there, or no token of the vocabulary has anything
    after a line break. It is not set for vocabularies that put a space before every text (Llama 2,
    Mistral 7B) or join a line break with the spaces after it (ModernBERT).
    """

    name: str
    aliases: tuple[str, ...] = ()
    splits_at_paragraphs: bool = True
    lists_control_tokens: bool = True
    """Whether splintr lists all texts that it takes for control tokens."""


VOCABULARIES: Final = (
    Vocabulary("cl100k_base"),
    Vocabulary("o200k_base"),
    Vocabulary("gpt-oss", ("gpt_oss", "o200k_harmony")),
    Vocabulary("llama3", ("llama3.1", "llama3.2", "llama3.3")),
    Vocabulary("llama2", ("llama-2", "tinyllama", "vicuna"), splits_at_paragraphs=False),
    Vocabulary("codellama", ("code_llama", "code-llama"), splits_at_paragraphs=False),
    Vocabulary("phi4", ("phi-4",)),
    Vocabulary("olmo2", ("olmo-2",)),
    Vocabulary("modernbert", ("modern-bert",), splits_at_paragraphs=False),
    Vocabulary("qwen3", ("qwen", "qwen2", "qwen2.5", "baichuan_m2")),
    Vocabulary("glm4", ("glm", "glm-4", "glm4.5", "glm-4.5")),
    Vocabulary("kimi_k2", ("kimi", "kimi-k2", "kimi_k2.5", "kimi-k2.5", "kimi_linear")),
    Vocabulary("kimi_k3", ("kimi-k3",)),
    Vocabulary("deepseek_v3", ("deepseek-v3",)),
    Vocabulary("mistral_v1", ("mistral",), splits_at_paragraphs=False),
    Vocabulary("mistral_v2", splits_at_paragraphs=False),
    Vocabulary("mistral_v3"),
    Vocabulary("gemma2", ("gemma-2",), lists_control_tokens=False),
    Vocabulary("gemma3", ("gemma-3", "embeddinggemma"), lists_control_tokens=False),
    Vocabulary("gemma4", ("gemma-4",)),
    Vocabulary("whisper_v1"),
    Vocabulary("whisper_v2", ("whisper",)),
    Vocabulary("whisper_v3"),
)
