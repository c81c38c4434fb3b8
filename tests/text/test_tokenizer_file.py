"""A model's own `tokenizer.json`, against Hugging Face's library."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from biblicus_context.errors import LoadError
from biblicus_context.text.counters import Counters
from tests.text.samples import CONTROL_TOKENS, SCRIPTS

if TYPE_CHECKING:
    from pathlib import Path

Train = Callable[[], Tokenizer]


def _trained(tokenizer: Tokenizer, trainer: trainers.Trainer) -> Tokenizer:
    tokenizer.train_from_iterator(SCRIPTS * 4, trainer)
    return tokenizer


def byte_level() -> Tokenizer:
    """As GPT-2 and most models after it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|endoftext|>"]
    return _trained(
        tokenizer,
        trainers.BpeTrainer(
            vocab_size=500, initial_alphabet=alphabet, special_tokens=special, show_progress=False
        ),
    )


def truncating() -> Tokenizer:
    """As many embedding models ship it, cut to a length."""
    tokenizer = byte_level()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=9)
    return tokenizer


def framed() -> Tokenizer:
    """As BERT: word pieces between [CLS] and [SEP]."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[UNK]", "[CLS]", "[SEP]"]
    tokenizer = _trained(
        tokenizer,
        trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


def unigram() -> Tokenizer:
    """As T5."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<unk>", "</s>"]
    tokenizer = _trained(
        tokenizer,
        trainers.UnigramTrainer(
            vocab_size=300, special_tokens=special, unk_token="<unk>", show_progress=False
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return tokenizer


def byte_fallback() -> Tokenizer:
    """As Llama 2: a space in front, bytes for what is not in the vocabulary."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback()])
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer = _trained(
        tokenizer,
        trainers.BpeTrainer(vocab_size=600, special_tokens=special, show_progress=False),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def whole_words() -> Tokenizer:
    """Merges of characters between white space, which splintr would read as bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return _trained(
        tokenizer,
        trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>"], show_progress=False),
    )


def marked_words() -> Tokenizer:
    """As CLIP: a mark at the end of each word, which splintr would pass over."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    pattern = Regex(r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(pattern, "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    return _trained(
        tokenizer,
        trainers.BpeTrainer(
            vocab_size=700,
            end_of_word_suffix="</w>",
            special_tokens=["<unk>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )


def word_level() -> Tokenizer:
    """A vocabulary of words, which splintr refuses."""
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["[UNK]"], show_progress=False)
    return _trained(tokenizer, trainer)


@pytest.mark.parametrize(
    "train",
    [
        byte_level,
        truncating,
        framed,
        unigram,
        byte_fallback,
        whole_words,
        marked_words,
        word_level,
    ],
)
def test_a_file_counts_as_hugging_face_does(train: Train, tmp_path: Path) -> None:
    """Without the tokens around a text, and however the file would cut it."""
    tokenizer = train()
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    texts = [*SCRIPTS, *CONTROL_TOKENS, "\n\n".join(SCRIPTS), "no 5 such <unk> word", ""]
    expected = [len(tokenizer.encode(text, add_special_tokens=False)) for text in texts]
    assert Counters().get(str(path)).count_many(texts) == expected


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    """A counter belongs to the file as it was when the counter was asked for."""
    path = tmp_path / "tokenizer.json"
    byte_level().save(str(path))
    before = Counters().get(str(path))
    assert before is Counters().get(str(path))
    word_level().save(str(path))
    assert before is not Counters().get(str(path))


@pytest.mark.parametrize("content", ["", "[]", '{"model": "BPE"}', '{"version": 1}'])
def test_a_file_that_is_no_tokenizer_is_named(content: str, tmp_path: Path) -> None:
    """The error has the place and what is wrong."""
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(LoadError, match=r"tokenizer\.json"):
        Counters().get(str(path)).count("a")
