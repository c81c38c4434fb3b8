"""The language of a short text: by its script, else by its function words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Final

_FUNCTION_WORDS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(words.split())
    for name, words in {
        "en": "the a an and or of to in on at is are was were be do does did how what when where "
        "which who why can could should would will with for from about it this that we you i my our",
        "de": "der die das ein eine einen und oder von zu im in auf ist sind war wird werden wie was "
        "wann wo welche wer warum kann mit für aus über es dies wir du ich mein unser nicht den dem",
        "fr": "le la les un une des et ou de du à au aux dans en sur est sont était quand quoi que "
        "qui où comment pourquoi quel quelle avec pour par ce cette nous vous je mon notre pas il",
        "es": "el la los las un una y o de del a al en es son era cuándo cuando qué que quién dónde "
        "cómo como por con para este esta nosotros yo mi nuestro no se lo cuál",
        "it": "il lo la gli le un una e o di del della a al in nel su è sono era quando che cosa chi "
        "dove come perché con per questo questa noi io mio nostro non quale",
        "pt": "o a os as um uma e ou de do da em no na é são era quando que quem onde como por com "
        "para este esta nós eu meu nosso não qual",
        "nl": "de het een en of van te in op is zijn was wanneer wat wie waar hoe waarom welke met "
        "voor uit over dit dat wij we je ik mijn ons niet",
    }.items()
}
_SCRIPTS: Final = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("uk", re.compile("[іїєґІЇЄҐ]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
"""Looked for in this order: Japanese has Chinese characters too."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NONE: Final = (("", 0), ("", 0))


def _with_languages() -> Mapping[str, tuple[str, ...]]:
    words = {word for known in _FUNCTION_WORDS.values() for word in known}
    return {
        word: tuple(name for name, known in _FUNCTION_WORDS.items() if word in known)
        for word in words
    }


_LANGUAGES: Final = _with_languages()
"""The languages in which a word is a function word."""


NAMES: Final[Mapping[str, str]] = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "ja": "Japanese",
    "ko": "Korean",
    "zh": "Chinese",
    "uk": "Ukrainian",
    "ru": "Russian",
    "el": "Greek",
    "he": "Hebrew",
    "ar": "Arabic",
    "hi": "Hindi",
    "th": "Thai",
}
"""What the languages are called that are recognised here."""
_SURE: Final = 2
"""Function words that leave no doubt about the language of a text; one may be a word of another language."""


def language_of(text: str, *, least: int = 1) -> str | None:
    """The code of the language, such as "en"; None if too little says which one it is.

    >>> language_of("Wann verschicken wir die Lampen?"), language_of("lamp.py")
    ('de', None)
    """
    if not text.isascii():
        for name, script in _SCRIPTS:
            if script.search(text):
                return name
    found = [_LANGUAGES[word] for word in _WORD.findall(text.lower()) if word in _LANGUAGES]
    counts = Counter(chain.from_iterable(found))
    (best, most), (_, second) = (*counts.most_common(2), *_NONE)[:2]
    return None if second == most or most < least else best


def sure_language_of(text: str) -> str | None:
    """The language where a text leaves no doubt: by its script, or by several function words.

    >>> sure_language_of("Wann verschicken wir die Lampen?"), sure_language_of("no internet")
    ('de', None)
    """
    return language_of(text, least=_SURE)


def function_words(language: str | None) -> Collection[str]:
    """The function words of a language, as far as they are known here."""
    return _FUNCTION_WORDS.get(language or "", frozenset())
