"""Retrievers that are `like` another one of their file take over the settings that they do not set.

So do sources that a combined retriever declares in place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from biblicus_context.base.cycles import find_cycles
from biblicus_context.errors import LoadError
from biblicus_context.reading.listed_names import listed
from biblicus_context.reading.yaml.compose import MAX_VALUES
from biblicus_context.reading.yaml.tree import Member, Node, Place, Tree
from biblicus_context.spec.retriever import COMBINED, PASSED_ON

_LIKE: Final = "like"


class WholeTree(NamedTuple):
    """A document with all its settings: its own, and those that it takes over."""

    tree: Tree
    problems: Sequence[LoadError] = ()
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
    uses = [tuple(_uses(tree)) for tree in trees]
    if any(uses):
        file = _File(trees, uses, _retrievers(trees), unread)
        whole = iter([file.whole(at) for at in range(len(trees))])
    else:  # as nearly always
        whole = map(WholeTree, trees)
    for each in found:
        if isinstance(each, LoadError):
            yield each
        else:
            like = next(whole)
            yield like._replace(tree=with_passed_on(like.tree))


class _Use(NamedTuple):
    """A `like` of a retriever, or of a source in it."""

    name: str
    place: Place
    needs_id: bool = False
    """Whether it is that of a source without a `retriever_id`."""


def _uses(tree: Tree) -> Iterator[_Use]:
    """Every `like` of a document; a wrong value is left to the schema."""
    if _text(tree.root, "kind") == "retriever":
        yield from _likes(tree.root)
        yield from _likes_of_sources(tree.root.part("config"), is_like=_base(tree.root) is not None)


def _likes(node: Node, *, needs_id: bool = False) -> Iterator[_Use]:
    name = _base(node)
    if name is not None:
        yield _Use(name, node.members[_LIKE].node.place, needs_id)


def _likes_of_sources(config: Node | None, *, is_like: bool) -> Iterator[_Use]:
    kind = config and config.part("retriever_id")
    if config is None or not (kind.value == COMBINED if kind else is_like):
        return
    for source in _sources(config):
        yield from _likes(source, needs_id="retriever_id" not in source.members)
        yield from _likes_of_sources(source, is_like=_base(source) is not None)


def _retrievers(trees: Sequence[Tree]) -> dict[str, int]:
    """The position of the first retriever of each name."""
    found: dict[str, int] = {}
    for at, tree in enumerate(trees):
        name = _text(tree.root, "name")
        if name and _text(tree.root, "kind") == "retriever":
            found.setdefault(name, at)
    return found


@dataclass
class _File:
    """The documents of a file by position; each is made whole once, after those that it is like."""

    trees: Sequence[Tree]
    uses: Sequence[Sequence[_Use]]
    retrievers: Mapping[str, int]
    unread: Collection[str]
    done: dict[int, WholeTree] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    left: int = MAX_VALUES
    """Values that may still be taken over, so that a small file does not become a huge plan."""

    def __post_init__(self) -> None:
        bases = {at: self._bases(at) for at in range(len(self.trees))}
        for cycle in find_cycles(bases):
            self._refuse(cycle)

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of all retrievers, sorted."""
        return sorted(self.retrievers)

    def whole(self, start: int) -> WholeTree:
        """The document at a position; chains may be long, so this is no recursion."""
        waiting = [(start, False)]
        while waiting:
            at, is_next = waiting.pop()
            if at in self.done:
                continue
            if is_next:
                self.done[at] = self._with_bases(self.trees[at], self.uses[at])
            else:
                waiting.append((at, True))
                waiting += ((base, False) for base in self._bases(at))
        return self.done[start]

    def _bases(self, at: int) -> list[int]:
        return [self.retrievers[use.name] for use in self.uses[at] if use.name in self.retrievers]

    def _refuse(self, cycle: Sequence[int]) -> None:
        """One problem for a cycle, in its last document."""
        names = [str(_text(self.trees[at].root, "name")) for at in cycle]
        last = self.trees[cycle[-1]]
        closing = next(use for use in self.uses[cycle[-1]] if use.name == names[0])
        problem = last.error(
            f"retrievers are like each other in a cycle: {' -> '.join([*names, names[0]])}",
            closing.place,
            fix=f"Remove one '{_LIKE}', and write its settings out.",
            mistake="invalid-like",
        )
        for at in cycle:
            self.done.setdefault(at, _alone(self.trees[at]))
        others = self.done[cycle[-1]].problems
        self.done[cycle[-1]] = _alone(last, [*others, problem])

    def _with_bases(self, tree: Tree, uses: Sequence[_Use]) -> WholeTree:
        """A document whose bases have all their settings."""
        if not uses:
            return WholeTree(tree)
        problems = [*self._problems(tree, uses)]
        if problems or self.left < 0 or not all(self._is_whole(use) for use in uses):
            return _alone(tree, problems)
        self.left -= sum(self._size(self.retrievers[use.name]) for use in uses)
        if self.left < 0:
            return _alone(tree, [_too_much(tree, uses[0])])
        names = tuple(dict.fromkeys(use.name for use in uses))
        return WholeTree(tree._replace(root=self._taking_over(tree), bases=names))

    def _size(self, at: int) -> int:
        if at not in self.sizes:
            self.sizes[at] = _size(self.done[at].tree.root)
        return self.sizes[at]

    def _problems(self, tree: Tree, uses: Sequence[_Use]) -> Iterator[LoadError]:
        for use in uses:
            if use.name not in self.retrievers:
                if use.name not in self.unread:
                    yield self._unknown(tree, use)
            elif use.needs_id and self._is_whole(use) and not _has_id(self._root(use.name)):
                yield _without_id(tree, use)

    def _is_whole(self, use: _Use) -> bool:
        """Whether all settings of what it names are known."""
        at = self.retrievers.get(use.name)
        return at is not None and self.done[at].is_whole

    def _taking_over(self, tree: Tree) -> Node:
        """The document with the corpus and the settings that it does not set itself."""
        root, name = tree.root, _base(tree.root)
        if name is not None:
            root = mapping(root, _taken_over(root, self._root(name)))
        config = root.members.get("config")
        if config is None:
            return root
        node = self._with_sources(config.node)
        return mapping(root, {**root.members, "config": config._replace(node=node)})

    def _source(self, source: Node) -> Node:
        """A source with the corpus and the settings that it does not set itself."""
        name = _base(source)
        if name is not None:
            members = {**_all_settings(self._root(name)), **_without_like(source)}
            source = mapping(source, members)
        return self._with_sources(source)

    def _with_sources(self, config: Node) -> Node:
        if not _likes_in_sources(config):
            return config
        of = config.members["of"]
        sources = [self._source(each) for each in _sources(config)]
        node = of.node._replace(value=[each.value for each in sources], items=sources)
        return mapping(config, {**config.members, "of": of._replace(node=node)})

    def _root(self, name: str) -> Node:
        return self.done[self.retrievers[name]].tree.root

    def _unknown(self, tree: Tree, use: _Use) -> LoadError:
        own = _text(tree.root, "name")
        return tree.error(
            "this file declares no such retriever",
            use.place,
            found=use.name,
            valid=[each for each in listed(use.name, self.names) if each != own],
            fix=f"'{_LIKE}' names another retriever of the same file.",
            mistake="invalid-like",
        )


def _without_id(tree: Tree, use: _Use) -> LoadError:
    return tree.error(
        f"neither this source nor the retriever '{use.name}' has a retriever_id",
        use.place,
        fix=f"Write one next to '{_LIKE}'. A retriever that Python provides is a source by its name.",
        mistake="invalid-like",
    )


def _too_much(tree: Tree, use: _Use) -> LoadError:
    return tree.error(
        f"'{_LIKE}' takes over more than {MAX_VALUES:,} keys and values in this file",
        use.place,
        fix="Split the file.",
        mistake="too-many-values",
    )


def _text(node: Node, key: str) -> str | None:
    part = node.part(key)
    return part.value if part and isinstance(part.value, str) else None


def _base(node: Node) -> str | None:
    """The name of the retriever that a retriever, or a source, is like."""
    return _text(node, _LIKE) or None


def _has_id(retriever: Node) -> bool:
    config = retriever.part("config")
    return config is not None and "retriever_id" in config.members


def _sources(config: Node) -> Sequence[Node]:
    of = config.part("of")
    return of.items if of else ()


def _likes_in_sources(config: Node) -> bool:
    """Whether a source of a combined retriever takes settings over."""
    is_combined = _text(config, "retriever_id") == COMBINED
    return is_combined and any(_likes_of_sources(config, is_like=True))


def _alone(tree: Tree, problems: Sequence[LoadError] = ()) -> WholeTree:
    """A document of which only its own settings are known."""
    members = _without_like(tree.root)
    config = members.get("config")
    if config and any(_likes_of_sources(config.node, is_like=True)):
        del members["config"]  # it says little without its sources
    return WholeTree(tree._replace(root=mapping(tree.root, members)), problems, is_whole=False)


def _taken_over(own: Node, base: Node) -> dict[str, Member]:
    """The keys of a retriever, with those of its base that it does not set itself."""
    theirs, config = base.members, own.members.get("config")
    taken = {key: theirs[key] for key in ("corpus", "config") if key in theirs}
    if "corpus" in own.members or (config and "corpus" in config.node.members):
        taken = _without_corpus(taken)  # either place of a corpus replaces the other
    members = {**taken, **_without_like(own)}
    if config and isinstance(config.node.value, dict) and "config" in taken:
        settings = {**taken["config"].node.members, **config.node.members}
        members["config"] = config._replace(node=mapping(config.node, settings))
    return members


def _without_corpus(taken: Mapping[str, Member]) -> dict[str, Member]:
    kept = {key: member for key, member in taken.items() if key != "corpus"}
    config = kept.get("config")
    if config and "corpus" in config.node.members:
        settings = {key: each for key, each in config.node.members.items() if key != "corpus"}
        kept["config"] = config._replace(node=mapping(config.node, settings))
    return kept


def _all_settings(base: Node) -> dict[str, Member]:
    """The settings of a retriever with its corpus among them, as a source has them."""
    corpus = {key: base.members[key] for key in ("corpus",) if key in base.members}
    config = base.members.get("config")
    return {**corpus, **(config.node.members if config else {})}


def _without_like(node: Node) -> dict[str, Member]:
    return {key: member for key, member in node.members.items() if key != _LIKE}


def _size(node: Node) -> int:
    parts = (*(member.node for member in node.members.values()), *node.items)
    return 1 + sum(map(_size, parts))


def with_passed_on(tree: Tree) -> Tree:
    """The document in which each source has these settings itself; they keep their places.

    Nothing is passed on where a source is declared elsewhere: a filter must never be ignored.

    >>> from biblicus_context.reading.yaml.documents import read_trees
    >>> source = "{retriever_id: recent}, {retriever_id: hybrid, filters: {kind: note}}"
    >>> pool = f"config: {{retriever_id: combined, filters: {{kind: page}}, of: [{source}]}}"
    >>> (found,) = read_trees(f"kind: retriever\\nname: pool\\n{pool}\\n", "plan.yaml")
    >>> [each["filters"] for each in with_passed_on(found).root.value["config"]["of"]]
    [{'kind': 'page'}, {'kind': 'note'}]
    """
    root = tree.root
    config, kind = root.members.get("config"), root.part("kind")
    if config is None or kind is None or kind.value != "retriever":
        return tree
    above = {key: root.members[key] for key in ("corpus",) if key in root.members}
    settings, is_passed = _passing(config.node, above)
    if settings is config.node:
        return tree
    members = {**root.members, "config": config._replace(node=settings)}
    kept = {key: each for key, each in members.items() if not (is_passed and key in above)}
    return tree._replace(root=mapping(root, kept))


def _passing(config: Node, above: Mapping[str, Member]) -> tuple[Node, bool]:
    """The settings after they were passed on, and whether those above were."""
    of, kind = config.members.get("of"), config.part("retriever_id")
    if of is None or kind is None or kind.value != COMBINED:
        return config, False
    sources = of.node.items
    own = {key: config.members[key] for key in PASSED_ON if key in config.members}
    # Not known here is what a source without a `retriever_id` is, and whether it has these settings.
    is_passed = all("retriever_id" in each.members for each in sources)
    passed = {**above, **own} if is_passed else {}
    items = [_source(each, passed) for each in sources]
    if not passed and all(new is old for new, old in zip(items, sources, strict=True)):
        return config, False
    node = of.node._replace(value=[each.value for each in items], items=items)
    members = {key: each for key, each in config.members.items() if key not in passed}
    return mapping(config, {**members, "of": of._replace(node=node)}), is_passed


def _source(source: Node, passed: Mapping[str, Member]) -> Node:
    if any(key not in source.members for key in passed):
        source = mapping(source, {**passed, **source.members})
    return _passing(source, {})[0]


def mapping(node: Node, members: Mapping[str, Member]) -> Node:
    """The mapping with these keys instead."""
    value = {key: member.node.value for key, member in members.items()}
    return node._replace(value=value, members=members)
