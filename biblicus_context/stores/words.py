"""Texts and terms as rankings see them: split into words, each reduced to its stem.

They are what SQLite's tokenizer `porter unicode61 remove_diacritics 2` makes of a text, so that scores
are the same over any source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.stores.word_characters import ascii_table, compared_as

Stems: TypeAlias = tuple[str, ...]
T = TypeVar("T")

_ASCII: Final = ascii_table()
MOST_KNOWN: Final = 50_000
_LONGEST_KNOWN: Final = 40
"""Bytes of a word that is remembered: longer ones are rare, and do not come again."""
_LONGEST_WORD: Final = 32_768
"""Bytes of a word that are compared."""


@door
def stems_of(text: str) -> Stems:
    """The stems of a text in order: one for a word, none for punctuation, several for `x-ray`.

    >>> stems_of("The Café's x-rays, retried")
    ('the', 'cafe', 's', 'x', 'rai', 'retri')
    """
    return tuple(_process_words().of(text))


def stems_by_text(texts: Iterable[str]) -> dict[str, Stems]:
    """The stems of several texts."""
    known = _process_words()
    return {each: tuple(known.of(each)) for each in texts}


def heading_text(title: str, heading: Iterable[str]) -> str:
    """The title and headings of a block as one text, which is searched next to its own."""
    return " ".join(filter(None, [title, *heading]))


class IndexedText(NamedTuple):
    """What is searched of a block."""

    row: int
    text: str
    heading: str

    @property
    def stems(self) -> set[str]:
        """Those of all of its words."""
        return {*stems_of(self.text), *stems_of(self.heading)}


class KnownWords(Generic[T]):
    """Words that were met, and something for the stem of each: to look it up is much faster than to stem."""

    def __init__(self, found: Callable[[str], T]) -> None:
        """`found` is called with each stem, once for each word that has it."""
        self._found = found
        self._words = _Filled(self._of_word)
        self._pieces = _Filled(self._of_piece)

    def __len__(self) -> int:
        return len(self._words) + len(self._pieces)

    def of(self, text: str) -> Iterable[T]:
        """What was found for each word of a text, in order."""
        # All characters at once, as bytes: one by one takes ten times as long.
        pieces = text.encode("utf-8", "replace").translate(_ASCII).split()
        if text.isascii():
            return map(self._words.__getitem__, pieces)
        return chain.from_iterable(map(self._pieces.__getitem__, pieces))

    def _of_word(self, word: bytes) -> T:
        return self._found(_stem(word[:_LONGEST_WORD]).decode(errors="ignore"))

    def _of_piece(self, piece: bytes) -> tuple[T, ...]:
        """What is between two spaces may be several words where it is not in ASCII."""
        words = [piece] if piece.isascii() else _words(piece)
        return tuple([self._words[word] for word in words])


class _Filled(dict[bytes, T]):
    """Values that are found when they are first asked for."""

    def __init__(self, found: Callable[[bytes], T]) -> None:
        self._found = found

    def __missing__(self, word: bytes) -> T:
        value = self._found(word)
        if len(word) <= _LONGEST_KNOWN:
            self[word] = value
        return value


def _process_words() -> KnownWords[str]:
    """Those of this process; it begins again after some ten thousand, which is enough for a language."""
    if len(_known[0]) > MOST_KNOWN:
        _known[0] = KnownWords(str)
    return _known[0]


def _words(piece: bytes) -> list[bytes]:
    return [word.encode() for word in piece.decode().translate(compared_as()).split(" ") if word]


_known: Final = [KnownWords(str)]


# Porter's stemmer, over bytes, as in SQLite: a letter outside of ASCII is two to four consonants.

_LONGEST_STEMMED: Final = 64
_SOUNDS: Final = bytes(
    ord("v" if chr(code) in "aeiou" else "y" if chr(code) == "y" else "c") for code in range(256)
)

# For each step by the last letter but one: of these endings the first that a word has is replaced, if
# what is before it has more than so many runs of vowels and consonants.
_Endings: TypeAlias = dict[bytes, tuple[tuple[bytes, bytes], ...]]


def _by_last_but_one(endings: str) -> _Endings:
    found: _Endings = {}
    for pair in endings.split():
        ending, _, other = pair.encode().partition(b">")
        found[ending[-2:-1]] = (*found.get(ending[-2:-1], ()), (ending, other))
    return found


_STEP_2: Final = _by_last_but_one(
    "ational>ate tional>tion enci>ence anci>ance izer>ize logi>log bli>ble alli>al entli>ent eli>e"
    " ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al"
    " iviti>ive biliti>ble"
)
_STEP_3: Final = _by_last_but_one("ical>ic ness> icate>ic iciti>ic ful> ative> alize>al")
_STEP_4: Final = _by_last_but_one(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> ize>"
)
_STEPS: Final = ((_STEP_2, 0), (_STEP_3, 0), (_STEP_4, 1))


def _stem(word: bytes) -> bytes:
    if not 3 <= len(word) <= _LONGEST_STEMMED or word[-1] >= 0x80:
        return word
    word = _without_inflection(_without_plural(word))
    if word.endswith(b"y") and _has_vowel(word[:-1]):
        word = word[:-1] + b"i"
    for step, runs in _STEPS:
        if word[-2:-1] in step:
            word = _replaced(word, step, runs)
    if word.endswith(b"e"):
        runs = _runs(word[:-1])
        if runs > 1 or (runs == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith(b"ll") and _runs(word[:-1]) > 1:
        word = word[:-1]
    return word


def _without_plural(word: bytes) -> bytes:
    if not word.endswith(b"s") or word.endswith(b"ss"):
        return word
    if (word.endswith(b"sses") and len(word) > 4) or (word.endswith(b"ies") and len(word) > 3):
        return word[:-2]
    return word[:-1]


def _without_inflection(word: bytes) -> bytes:
    """Without `ed` and `ing`."""
    if word.endswith(b"eed") and len(word) > 3:
        return word[:-1] if _runs(word[:-3]) > 0 else word
    for ending in (b"ed", b"ing"):
        if word.endswith(ending) and len(word) > len(ending):
            before = word[: -len(ending)]
            return _mended(before) if _has_vowel(before) else word
    return word


def _mended(word: bytes) -> bytes:
    if len(word) > 2 and word.endswith((b"at", b"bl", b"iz")):
        return word + b"e"
    last = word[-1:]
    if last not in b"aeioulsz" and last == word[-2:-1]:
        # Half of a letter outside of ASCII is no letter.
        return word[:-1] if word.isascii() or last < b"\x80" else word
    return word + b"e" if _runs(word) == 1 and _ends_short(word) else word


def _replaced(word: bytes, step: _Endings, runs: int) -> bytes:
    for ending, other in step.get(word[-2:-1], ()):
        if word.endswith(ending) and len(word) > len(ending):
            before = word[: -len(ending)]
            if _runs(before) <= runs or (ending == b"ion" and before[-1:] not in b"st"):
                return word
            return before + other
    return word


def _has_vowel(word: bytes) -> bool:
    """A `y` is a vowel anywhere but at the beginning."""
    sounds = word.translate(_SOUNDS)
    return b"v" in sounds or b"y" in sounds[1:]


def _runs(word: bytes) -> int:
    """How often vowels are followed by consonants."""
    return _sounds(word).count(b"vc")


def _ends_short(word: bytes) -> bool:
    """Whether it ends in consonant, vowel, consonant, as `hop` does."""
    return word[-1:] not in b"wxy" and _sounds(word).endswith(b"cvc")


def _sounds(word: bytes) -> bytes:
    """`v` or `c` for each letter; a `y` is a vowel after a consonant."""
    sounds = word.translate(_SOUNDS)
    while (at := sounds.find(b"y")) >= 0:
        sound = b"v" if at and sounds[at - 1 : at] == b"c" else b"c"
        sounds = sounds[:at] + sound + sounds[at + 1 :]
    return sounds
