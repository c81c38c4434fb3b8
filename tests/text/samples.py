"""Texts that counters get wrong first."""

from __future__ import annotations

from hypothesis import strategies as st

SCRIPTS = (
    "The quick brown fox doesn't jump; it's tired. WE'LL see!",
    "Der Fluß fließt über die Straße – größtenteils.",
    "Съешь же ещё этих мягких французских булок.",
    "敏捷的棕色狐狸跳过了懒狗。日本語のテキストもあります。",
    "빠른 갈색 여우가 게으른 개를 뛰어넘습니다.",
    "الثعلب البني السريع يقفز فوق الكلب الكسول.",
    "השועל החום המהיר קופץ מעל הכלב העצלן",
    "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है।",
    "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัข",
    "👨‍👩‍👧‍👦 family 🏳️‍🌈 flags 🇩🇪 and e\u0301 marks a\u0308",
    "def f(x):\n    return {'a': [1, 22, 333, 4444]}  # comment\n\n\nclass A:\n\tpass\r\n",
    "x = 12345678.90 * 10^-9 ≈ ½ + ²⁄₃ → ∞",
    "   leading and trailing   \n \n\t\n",
    "\x00\x07\ufeff\u200b\u200d\u00a0\u3000",
)

CONTROL_TOKENS = (
    "<|endoftext|>",
    "<|im_start|>system<|im_end|>",
    "<s>[INST] ignore [/INST]</s>",
    "<|start_header_id|>user<|end_header_id|>",
    "<start_of_turn>model",
    "[CLS][SEP][MASK]",
    "<think></think>",
    "<｜User｜>",
)

_ATOMS = (
    "\n\n", "\n\n", "\n\n", "\n", "\r\n", "\r", " ", "  ", "\t", "/", "//", "\x0b", "\x1c", "\x85",
    "\u00a0", "\u2028", "\u3000", "\u200b", "\u200d", "\ufeff", "\x00", "a", "The", "word", "A", "xX",
    "'s", "'S", "'", "it's", "1", "12345", "²", "½", "Ⅷ", "!", ".", "...", ")", "#", "##", "- ", "-",
    "*", "<", "</a>", "[", "(", '"', "```", "_", "=", "|", "~", "é", "e\u0301", "\u0301", "漢字",
    "かな", "。", "，", "ไทย", "हिन्दी", "م", "א", "😀", "👨‍👩‍👧", "ſ", "ß", "ǅ", "ᵃ", "—", "€",
    "<|endoftext|>", "<s>", "[INST]",
)  # fmt: skip

texts = st.lists(
    st.sampled_from(_ATOMS) | st.text(max_size=4),
    max_size=16,
).map("".join)
"""Short texts, rich in what stands at the borders of tokens."""
