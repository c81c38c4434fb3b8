"""Retrievers that are `like` another one of their file take over the settings that they do not set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from biblicus_context.errors import LoadError
from biblicus_context.reading.listed_names import listed
from biblicus_context.reading.yaml.compose import MAX_VALUES
from biblicus_context.reading.yaml.tree import Member, Node, Tree

_LIKE: Final = "like"


class WholeTree(NamedTuple):
    """A document with all its settings: its own, and those that it takes over."""

    tree: Tree
    problem: LoadError | None = None
    is_whole: bool = True
    """Whether the settings that it takes over are known."""


def whole_trees(
    found: Sequence[Tree | LoadError], unread: Collection[str] = ()
) -> Iterator[WholeTree | LoadError]:
    """The documents of a file with the settings that they take over; every value keeps its place.

    `unread` are names that documents with errors seem to declare.

    >>> from biblicus_context.reading.yaml.documents import read_trees
    >>> first = "kind: retriever\\nname: a\\nconfig: {limit: 5, query: x}\\n---\\n"
    >>> second = "kind: retriever\\nname: b\\nlike: a\\nconfig: {query: y}\\n"
    >>> _, each = whole_trees([*read_trees(first + second, "plan.yaml")])
    >>> each.tree.root.value["config"]
    {'limit': 5, 'query': 'y'}
    """
    trees = [each for each in found if isinstance(each, Tree)]
    if not any(_LIKE in tree.root.members for tree in trees):  # as nearly always
        yield from (WholeTree(each) if isinstance(each, Tree) else each for each in found)
        return
    file = _File(trees, _retrievers(trees), unread)
    whole = (file.whole(at) for at in range(len(trees)))
    yield from (next(whole) if isinstance(each, Tree) else each for each in found)


def _retrievers(trees: Sequence[Tree]) -> dict[str, int]:
    """The position of the first retriever of each name."""
    found: dict[str, int] = {}
    for at, tree in enumerate(trees):
        name = _text(tree, "name")
        if name and _text(tree, "kind") == "retriever":
            found.setdefault(name, at)
    return found


@dataclass
class _File:
    """The documents of a file by position; each is made whole once."""

    trees: Sequence[Tree]
    retrievers: Mapping[str, int]
    unread: Collection[str]
    done: dict[int, WholeTree] = field(default_factory=dict)
    left: int = MAX_VALUES
    """Values that may still be taken over, so that a small file does not become a huge plan."""

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of all retrievers, sorted."""
        return sorted(self.retrievers)

    def whole(self, start: int) -> WholeTree:
        """The document at a position, after those that it is like; chains may be long."""
        chain: dict[int, None] = {}
        at: int | None = start
        while at is not None and at not in self.done and at not in chain:
            chain[at] = None
            at = self.retrievers.get(_base(self.trees[at]) or "")
        order = [*chain]
        if at in chain:
            self._refuse(order[order.index(at) :])
        for each in reversed(order):
            if each not in self.done:
                self.done[each] = self._with_base(self.trees[each])
        return self.done[start]

    def _refuse(self, cycle: Sequence[int]) -> None:
        """One problem for a cycle, in its last document."""
        self.done.update((at, _alone(self.trees[at])) for at in cycle)
        members = [self.trees[at] for at in cycle]
        names = [str(_text(tree, "name")) for tree in members]
        last = members[-1]
        problem = last.error(
            f"retrievers are like each other in a cycle: {' -> '.join([*names, names[0]])}",
            last.at([_LIKE]).place,
            fix=f"Remove one '{_LIKE}', and write its settings out.",
            mistake="invalid-like",
        )
        self.done[cycle[-1]] = _alone(last, problem)

    def _with_base(self, tree: Tree) -> WholeTree:
        """A document whose base has all its settings."""
        name = _base(tree)
        if name is None:
            return WholeTree(tree)
        if name not in self.retrievers:
            return _alone(tree, None if name in self.unread else self._unknown(tree, name))
        base = self.done[self.retrievers[name]]
        if not base.is_whole or self.left < 0:
            return _alone(tree)
        whole = _taking_over(tree, base.tree)
        self.left -= _size(whole.root) - _size(tree.root)
        return (
            WholeTree(whole._replace(like=name))
            if self.left >= 0
            else _alone(tree, _too_much(tree))
        )

    def _unknown(self, tree: Tree, name: str) -> LoadError:
        own = _text(tree, "name")
        return tree.error(
            "this file declares no such retriever",
            tree.at([_LIKE]).place,
            found=name,
            valid=[each for each in listed(name, self.names) if each != own],
            fix=f"'{_LIKE}' names another retriever of the same file.",
            mistake="invalid-like",
        )


def _too_much(tree: Tree) -> LoadError:
    return tree.error(
        f"'{_LIKE}' takes over more than {MAX_VALUES:,} keys and values in this file",
        tree.at([_LIKE]).place,
        fix="Split the file.",
        mistake="too-many-values",
    )


def _text(tree: Tree, key: str) -> str | None:
    node = tree.root.part(key)
    return node.value if node and isinstance(node.value, str) else None


def _base(tree: Tree) -> str | None:
    """The name of the retriever that a retriever is like; a wrong value is left to the schema."""
    return _text(tree, _LIKE) or None if _text(tree, "kind") == "retriever" else None


def _alone(tree: Tree, problem: LoadError | None = None) -> WholeTree:
    """A document of which only its own settings are known."""
    return WholeTree(_with(tree, tree.root.members), problem, is_whole=False)


def _taking_over(tree: Tree, base: Tree) -> Tree:
    """The document with the corpus and the settings of its base that it does not set itself."""
    own, theirs = tree.root.members, base.root.members
    config = own.get("config")
    taken = {key: theirs[key] for key in ("corpus", "config") if key in theirs}
    if "corpus" in own or (config and "corpus" in config.node.members):
        taken = _without_corpus(taken)  # either place of a corpus replaces the other
    members = {**taken, **own}
    if config and isinstance(config.node.value, dict) and "config" in taken:
        settings = {**taken["config"].node.members, **config.node.members}
        members["config"] = config._replace(node=_mapping(config.node, settings))
    return _with(tree, members)


def _without_corpus(taken: Mapping[str, Member]) -> dict[str, Member]:
    kept = {key: member for key, member in taken.items() if key != "corpus"}
    config = kept.get("config")
    if config and "corpus" in config.node.members:
        settings = {key: each for key, each in config.node.members.items() if key != "corpus"}
        kept["config"] = config._replace(node=_mapping(config.node, settings))
    return kept


def _with(tree: Tree, members: Mapping[str, Member]) -> Tree:
    """The document with these keys, and without its `like`."""
    kept = {key: member for key, member in members.items() if key != _LIKE}
    return tree._replace(root=_mapping(tree.root, kept))


def _mapping(node: Node, members: Mapping[str, Member]) -> Node:
    value = {key: member.node.value for key, member in members.items()}
    return node._replace(value=value, members=members)


def _size(node: Node) -> int:
    parts = (*(member.node for member in node.members.values()), *node.items)
    return 1 + sum(map(_size, parts))
