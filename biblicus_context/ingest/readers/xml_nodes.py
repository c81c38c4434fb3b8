"""The tags and texts of XML that anybody may have written, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from xml.parsers import expat

from biblicus_context.ingest.chunks.section import UnreadableError

_DEEPEST: Final = 500

NodeKind: TypeAlias = Literal["start", "end", "text"]


class XmlNode(NamedTuple):
    """A start tag, an end tag (both by their names, without namespaces) or a text."""

    kind: NodeKind
    value: str
    attributes: Mapping[str, str]


def xml_nodes(data: Iterable[bytes], encoding: str | None = None) -> Iterator[XmlNode]:
    """The nodes of a document in order; nothing is kept of what was read.

    A document type is refused: it defines entities that expand to gigabytes, or that are files.

    >>> [node.value for node in xml_nodes([b"<a>Tea", b"<b/></a>"])]
    ['a', 'Tea', 'b', 'b', 'a']
    """
    reader = _NodeReader(encoding)
    try:
        for part in data:
            yield from reader.fed(part)
        yield from reader.fed(b"", is_last=True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise UnreadableError(f"it is not XML: {problem} in line {error.lineno}") from None


class _NodeReader:
    def __init__(self, encoding: str | None) -> None:
        self._parser = expat.ParserCreate(encoding, namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._say
        self._found: list[XmlNode] = []
        self._depth = 0

    def fed(self, data: bytes, *, is_last: bool = False) -> list[XmlNode]:
        self._parser.Parse(data, is_last)
        found, self._found = self._found, []
        return found

    def _refuse(self, *_: Any) -> None:
        raise UnreadableError("it declares a document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError(f"its elements are nested more than {_DEEPEST} deep")
        # Where both have a value, such as `id` and `r:id`, the one with a namespace is the reference.
        in_order = sorted(attributes, key=lambda key: " " in key)
        self._found.append(
            XmlNode("start", _local(name), {_local(key): attributes[key] for key in in_order})
        )

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._found.append(XmlNode("end", _local(name), {}))

    def _say(self, text: str) -> None:
        self._found.append(XmlNode("text", text, {}))


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
