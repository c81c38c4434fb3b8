"""What was removed leaves the tables, and words that are many are sorted: in transactions of their own.

A removal only marks rows, as reads that are pinned to an older version still see them. A sweep deletes those
that have been gone long enough, with their words, names and embeddings.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from biblicus_context.stores.postgres.driver import WriteTransaction
from biblicus_context.stores.postgres.ended import end_all, note_ended
from biblicus_context.stores.postgres.kept_packs import columns_of
from biblicus_context.stores.postgres.sql import FOREVER, shown
from biblicus_context.stores.ranking.word_packs import (
    Entries,
    WordPack,
    merged,
    packed_words,
    stem_key,
)
from biblicus_context.stores.sql import Sql
from biblicus_context.stores.words import IndexedText, heading_text

NOW: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""By the clock of the server, which all writers share."""

_MOST_PACKS: Final = 64
_MOST_WORDS: Final = 1 << 18
"""Words that are not sorted, which every process reads whole."""
_WORTH_SORTING: Final = 1 << 15
_BLOCKS_AT_ONCE: Final = 2000
_STEMS_AT_ONCE: Final = 2000
_ROWS_AT_ONCE: Final = 2000
_BLOCKS_OF_A_PACK: Final = 2048


class Due(NamedTuple):
    """What is left to do after a write."""

    packs: int
    """Rows of words that are not sorted."""
    words: int
    has_ended: bool
    """Whether something was removed that no version shows any more."""

    @property
    def is_unsorted(self) -> bool:
        """Whether there are so many words that each search would be slowed down."""
        return self.packs >= _MOST_PACKS or self.words >= _MOST_WORDS


NOT_DUE: Final = Due(0, 0, has_ended=False)


def due(ws: int, keep: int) -> Sql:
    """Asks for what is left to do."""
    last = f"(SELECT max(number) FROM version WHERE ws = %s AND written <= {NOW} - %s)"
    gone = f"EXISTS (SELECT FROM {{}} WHERE ws = %s AND removed < {FOREVER} AND removed <= {last})"
    return Sql(
        "SELECT count(*), coalesce(sum(words), 0)::bigint,"
        f" {gone.format('document')} OR {gone.format('relation')} FROM recent WHERE ws = %s",
        (ws, ws, keep, ws, ws, keep, ws),
    )


def last_ended(ws: int, keep: int) -> Sql:
    """Asks for the last version that has been followed by another one for so long."""
    return Sql(
        f"SELECT coalesce(max(number), 0) FROM version WHERE ws = %s AND written <= {NOW} - %s",
        (ws, keep),
    )


def recent_row(ws: int, words: WordPack) -> Sql:
    """The newest words, as they are inserted."""
    row = (ws, words.last, words.first, words.words, words.data)
    return Sql("INSERT INTO recent (ws, last, first, words, data) VALUES (%s, %s, %s, %s, %s)", row)


def sweep(transaction: WriteTransaction, ws: int, version: int) -> bool:
    """Delete what only versions before this one show; whether there was anything."""
    gone = f"EXISTS (SELECT FROM {{}} WHERE ws = %s AND removed < {FOREVER} AND removed <= %s)"
    (((documents, relations),),) = transaction.ask(
        Sql(f"SELECT {gone.format('document')}, {gone.format('relation')}", (ws, version) * 2)
    )
    if not documents and not relations:
        return False
    transaction.ask(*note_ended(ws, version))
    while documents and _sweep_some(transaction, ws, version):
        pass
    left = f"(SELECT FROM {{}} WHERE ws = %s AND removed < {FOREVER})"
    transaction.ask(
        Sql("DELETE FROM relation WHERE ws = %s AND removed <= %s", (ws, version)),
        Sql(
            "UPDATE space SET oldest = greatest(oldest, %s), remains = CASE WHEN EXISTS"
            f" {left.format('document')} OR EXISTS {left.format('relation')} THEN remains END"
            " WHERE ws = %s",
            (version, ws, ws, ws),
        ),
    )
    return True


def _sweep_some(transaction: WriteTransaction, ws: int, version: int) -> bool:
    """Delete documents that are gone, as many as have a few thousand blocks; False if none is left."""
    (((found,),),) = transaction.ask(
        Sql(
            "SELECT array_agg(row) FROM (SELECT d.row, sum(1 + (SELECT count(*) FROM block b"
            " WHERE b.ws = d.ws AND b.document = d.row)) OVER (ORDER BY d.row) AS size FROM document d"
            " WHERE d.ws = %s AND d.removed <= %s) s WHERE size <= %s OR row = (SELECT min(row)"
            " FROM document WHERE ws = %s AND removed <= %s)",
            (ws, version, _BLOCKS_AT_ONCE, ws, version),
        )
    )
    if not found:
        return False
    (texts,) = transaction.ask(
        Sql(
            "SELECT b.row, coalesce(b.indexed_text, b.text), d.title, b.heading FROM block b"
            " JOIN document d ON d.ws = b.ws AND d.row = b.document"
            " WHERE b.ws = %s AND b.document = ANY (%s) ORDER BY b.row",
            (ws, found),
        ),
    )
    blocks = [
        IndexedText(row, shown(text), heading_text(shown(title), map(shown, heading)))
        for row, text, title, heading in texts
    ]
    block_rows = [each.row for each in blocks]
    _forget_words(transaction, ws, blocks)
    _forget_names(transaction, ws, found, block_rows)
    own = (ws, found)
    transaction.ask(
        Sql("DELETE FROM vector WHERE ws = %s AND row = ANY (%s::bigint[])", (ws, block_rows)),
        Sql("DELETE FROM block WHERE ws = %s AND document = ANY (%s)", own),
        Sql("DELETE FROM document WHERE ws = %s AND row = ANY (%s)", own),
    )
    return True


def _forget_words(transaction: WriteTransaction, ws: int, blocks: Sequence[IndexedText]) -> None:
    if not blocks:
        return
    rows = {each.row for each in blocks}
    stems = {stem_key(stem) for each in blocks for stem in each.stems}
    first, last = min(rows), max(rows)
    recent, found = transaction.ask(
        Sql(
            "SELECT first, last, data FROM recent WHERE ws = %s AND first <= %s AND last >= %s",
            (ws, last, first),
        ),
        Sql(
            "SELECT stem, last, parts, counts, offsets FROM posting"
            " WHERE ws = %s AND stem = ANY (%s::bytea[]) AND first <= %s AND last >= %s",
            (ws, sorted(stems), last, first),
        ),
    )
    changes = [
        Sql(
            "DELETE FROM recent WHERE ws = %s AND last = ANY (%s::bigint[])",
            (ws, [each[1] for each in recent]),
        )
    ]
    kept_packs = [WordPack.read(*row).without(rows) for row in recent]
    changes += [recent_row(ws, each) for each in kept_packs if each is not None]
    emptied: list[tuple[bytes, int]] = []
    changed: list[tuple[bytes, int, Entries]] = []
    for stem, end, *packs in found:
        own = Entries.unpacked(*packs)
        kept_entries = own.without(rows)
        if len(kept_entries.parts) == len(own.parts):
            continue
        emptied.append((stem, end))
        if len(kept_entries.parts):
            changed.append((stem, end, kept_entries))
    changes += [
        *_deleted(ws, emptied),
        *posting_rows(ws, ((stem, own) for stem, _, own in changed)),
    ]
    transaction.ask(*changes)


def _deleted(ws: int, rows: Sequence[tuple[bytes, int]]) -> Iterator[Sql]:
    if rows:
        stems, ends = (list(each) for each in zip(*rows, strict=True))
        yield Sql(
            "DELETE FROM posting p USING unnest(%s::bytea[], %s::bigint[]) g (stem, last)"
            " WHERE p.ws = %s AND p.stem = g.stem AND p.last = g.last",
            (stems, ends, ws),
        )


def posting_rows(ws: int, entries: Iterable[tuple[bytes, Entries]]) -> Iterator[Sql]:
    """Rows of `posting`, as they are inserted: a few thousand in a statement."""
    rows: list[tuple[object, ...]] = []
    for stem, own in entries:
        for part in own.rows:
            ends = int(part.parts[-1]) >> 1, int(part.parts[0]) >> 1
            rows.append((stem, *ends, *part.packed))
        if len(rows) >= _ROWS_AT_ONCE:
            yield _posting_insert(ws, rows)
            rows = []
    if rows:
        yield _posting_insert(ws, rows)


def _posting_insert(ws: int, rows: Sequence[tuple[object, ...]]) -> Sql:
    return Sql(
        "INSERT INTO posting (ws, stem, last, first, parts, counts, offsets) SELECT %s, e.* FROM"
        " unnest(%s::bytea[], %s::bigint[], %s::bigint[], %s::bytea[], %s::bytea[], %s::bytea[]) e",
        (ws, *(list(each) for each in zip(*rows, strict=True))),
    )


def _forget_names(
    transaction: WriteTransaction, ws: int, documents: Collection[int], blocks: Collection[int]
) -> None:
    """Packs keep the numbers of what is gone, and nothing that it was called."""
    first, last = min(documents), max(documents)
    (packs,) = transaction.ask(
        Sql(
            "SELECT document, columns, names, messages FROM pack WHERE ws = %s AND document >= %s"
            " AND document <= coalesce((SELECT min(document) FROM pack WHERE ws = %s AND document >= %s), %s)",
            (ws, first, ws, last, last),
        )
    )
    gone, own = {*blocks}, {*documents}
    changes = []
    for document, columns, names, messages in packs:
        rows = columns_of(columns)[:, 0].tolist()
        kept = [
            ["", "", None] if row in gone else name
            for row, name in zip(rows, json.loads(names), strict=True)
        ]
        left = [each for each in json.loads(messages) if each[0] not in own]
        changes.append(
            Sql(
                "UPDATE pack SET names = %s, messages = %s WHERE ws = %s AND document = %s",
                (_json(kept), _json(left), ws, document),
            )
        )
    if changes:
        transaction.ask(*changes)


def _json(listed: Sequence[object]) -> str:
    return json.dumps(listed, ensure_ascii=False)


def sort_recent(transaction: WriteTransaction, ws: int, found: Due) -> None:
    """Sort the newest words by stem, or make one row of many short ones."""
    (rows,) = transaction.ask(
        Sql("SELECT first, last, data FROM recent WHERE ws = %s ORDER BY last", (ws,))
    )
    packs = [WordPack.read(*each) for each in rows]
    if not packs:
        return
    removed = Sql("DELETE FROM recent WHERE ws = %s", (ws,))
    if found.words < _WORTH_SORTING:
        transaction.ask(removed, recent_row(ws, packed_words(dict(merged(packs)))))
        return
    last = max(each.last for each in packs)
    moved = Sql("UPDATE space SET sorted = greatest(sorted, %s) WHERE ws = %s", (last, ws))
    transaction.ask(removed, *posting_rows(ws, merged(packs)), moved)


def clear(transaction: WriteTransaction, ws: int) -> int:
    """Delete everything, and return the version that this makes."""
    tables = (
        *("version", "token", "ended", "relation", "vector", "block", "document", "pack"),
        *("recent", "posting", "model", "usage", "activity"),
    )
    *_, ((version,),) = transaction.ask(
        *(Sql(f"DELETE FROM {table} WHERE ws = %s", (ws,)) for table in tables),
        Sql(
            "UPDATE space SET version = version + 1, oldest = version + 1, repacked = version + 1,"
            " sorted = blocks, source = NULL, is_partial = false, remains = NULL WHERE ws = %s"
            " RETURNING version",
            (ws,),
        ),
    )
    transaction.ask(
        Sql(f"INSERT INTO version VALUES (%s, %s, {NOW})", (ws, version)),
        *end_all(ws, version),
    )
    return int(version)


def tidy(transaction: WriteTransaction, ws: int) -> None:
    """Delete all versions but the newest, and pack and sort again what is left."""
    (((version,),),) = transaction.ask(
        Sql("SELECT version FROM space WHERE ws = %s FOR UPDATE", (ws,))
    )
    sweep(transaction, ws, version)
    transaction.ask(
        *end_all(ws, version),
        Sql("DELETE FROM version WHERE ws = %s AND number < %s", (ws, version)),
        Sql(
            "DELETE FROM usage u WHERE ws = %s AND NOT EXISTS"
            " (SELECT FROM block b WHERE b.ws = u.ws AND b.id_key = u.block)",
            (ws,),
        ),
        Sql(
            "DELETE FROM activity a WHERE ws = %s AND NOT EXISTS"
            " (SELECT FROM document d WHERE d.ws = a.ws AND d.id_key = a.document)",
            (ws,),
        ),
    )
    (((count, words),),) = transaction.ask(
        Sql("SELECT count(*), coalesce(sum(words), 0)::bigint FROM recent WHERE ws = %s", (ws,))
    )
    sort_recent(transaction, ws, Due(count, words, has_ended=False))
    _merge_postings(transaction, ws)
    _merge_packs(transaction, ws)
    done = Sql("UPDATE space SET repacked = version, oldest = version WHERE ws = %s", (ws,))
    transaction.ask(done)


def _merge_postings(transaction: WriteTransaction, ws: int) -> None:
    """One run of rows for each stem, in the place of one for each time that words were sorted."""
    (stems,) = transaction.ask(
        Sql(
            "SELECT stem FROM posting WHERE ws = %s GROUP BY stem HAVING count(*) > 1 ORDER BY stem",
            (ws,),
        )
    )
    for start in range(0, len(stems), _STEMS_AT_ONCE):
        some = [stem for (stem,) in stems[start : start + _STEMS_AT_ONCE]]
        own = (ws, some)
        (rows,) = transaction.ask(
            Sql(
                "SELECT stem, parts, counts, offsets FROM posting"
                " WHERE ws = %s AND stem = ANY (%s) ORDER BY stem, last",
                own,
            )
        )
        found: dict[bytes, list[Entries]] = {}
        for stem, *packs in rows:
            found.setdefault(stem, []).append(Entries.unpacked(*packs))
        transaction.ask(
            Sql("DELETE FROM posting WHERE ws = %s AND stem = ANY (%s)", own),
            *posting_rows(ws, ((stem, Entries.chained(each)) for stem, each in found.items())),
        )


def _merge_packs(transaction: WriteTransaction, ws: int) -> None:
    """Packs of a few thousand blocks, without those that are gone."""
    packs, blocks = transaction.ask(
        Sql(
            "SELECT document, columns, names, messages FROM pack WHERE ws = %s ORDER BY document",
            (ws,),
        ),
        Sql("SELECT array_agg(row) FROM block WHERE ws = %s", (ws,)),
    )
    living = {*(blocks[0][0] or ())}
    changes = [Sql("DELETE FROM pack WHERE ws = %s", (ws,))]
    columns: list[bytes] = []
    names: list[object] = []
    messages: list[object] = []
    last = 0

    def flush(document: int) -> None:
        row = (ws, document, last, b"".join(columns), _json(names), _json(messages))
        changes.append(Sql("INSERT INTO pack VALUES (%s, %s, %s, %s, %s, %s)", row))
        for each in (columns, names, messages):
            each.clear()

    document = 0
    for document, packed, named, listed in packs:
        table = columns_of(packed)
        keeps = [row in living for row in table[:, 0].tolist()]
        columns.append(table[keeps].astype("<i8").tobytes())
        names += [name for name, is_kept in zip(json.loads(named), keeps, strict=True) if is_kept]
        messages += json.loads(listed)
        last = max([last, *table[keeps, 0].tolist()])
        if len(names) >= _BLOCKS_OF_A_PACK:
            flush(document)
    if columns:
        flush(document)
    transaction.ask(*changes)
