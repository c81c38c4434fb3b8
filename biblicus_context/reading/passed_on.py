"""Settings of a combined retriever that count for each source without its own, written out."""

from __future__ import annotations

from collections.abc import Mapping

from biblicus_context.reading.yaml.tree import Member, Node, Tree
from biblicus_context.spec.combined import COMBINED, PASSED_ON


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
