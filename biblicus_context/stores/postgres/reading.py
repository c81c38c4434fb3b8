"""Reads of one principal, pinned to one version; each is one round trip and holds no connection between.

The rows of a version stay until it has ended, so a read needs no transaction that lasts. Each trip asks as well
whether the version has ended since: then what it found is not whole, and is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.base.globs import Globs
from biblicus_context.base.lazy import lazy
from biblicus_context.stores import refusals
from biblicus_context.stores.arguments import ActivityQuery
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.matrix_files import MatrixFiles
from biblicus_context.stores.model import Block, Document, Relation
from biblicus_context.stores.moments import microseconds, moment
from biblicus_context.stores.postgres import rows
from biblicus_context.stores.postgres.conditions import (
    block_condition,
    condition,
    listed_condition,
)
from biblicus_context.stores.postgres.driver import PostgresServer, Rows
from biblicus_context.stores.postgres.kept_packs import (
    KeptPacks,
    StemVocabulary,
    StoredPack,
    messages_of,
)
from biblicus_context.stores.postgres.opening import Opened, Owners, opened, pin
from biblicus_context.stores.postgres.replica import Replica
from biblicus_context.stores.postgres.sql import joined, key_of, keys_of, shown
from biblicus_context.stores.postgres.visibility import alive, settings, visible
from biblicus_context.stores.postgres.word_reading import WordReading
from biblicus_context.stores.ranking.matrix import (
    EmbeddingModel,
    Matrix,
    MatrixPart,
    empty_matrix,
    unit,
)
from biblicus_context.stores.ranking.word_packs import stem_key
from biblicus_context.stores.results import (
    Activity,
    BlockPlace,
    Direction,
    EvidenceRow,
    Hit,
    Info,
    Nearby,
    Sibling,
    Usage,
    VectorCount,
    WorkspaceState,
)
from biblicus_context.stores.source import (
    MOST_REPLACED,
    Message,
    Names,
    Occurrences,
    Owner,
    Packs,
    ReadState,
    Scope,
    Wanted,
)
from biblicus_context.stores.sql import ALWAYS, Sql, all_of

_PLACE: Final = "b.id, d.id, b.session, b.position, b.tokens"
_OF_BLOCK: Final = "FROM block b JOIN document d ON d.ws = b.ws AND d.row = b.document"
_WHEN: Final = "coalesce(d.updated, d.created)"
_ENDS: Final = "d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL"
_FIX: Final = "Restore it from a backup, or ingest again."
_USAGE: Final = "u.used, u.helpful, u.unhelpful, u.last_used"
# The next stem, and the next one after it: a stem has many rows.
_STEMS: Final = (
    "WITH RECURSIVE t (stem) AS ((SELECT stem FROM posting WHERE ws = %s ORDER BY stem LIMIT 1)"
    " UNION ALL SELECT (SELECT p.stem FROM posting p WHERE p.ws = %s AND p.stem > t.stem"
    " ORDER BY p.stem LIMIT 1) FROM t WHERE t.stem IS NOT NULL) SELECT stem FROM t WHERE stem IS NOT NULL"
)
_NEVER: Final = Usage()


class PostgresReading:
    """What is promised of each method is in the Protocol `Reading`."""

    def __init__(
        self,
        server: PostgresServer,
        owners: Owners,
        scope: Scope,
        at: int | None,
        replica: Replica | None = None,
        files: MatrixFiles | None = None,
    ) -> None:
        self._server = server
        self._replica = replica
        self._files = files
        self._owners = owners
        self._scope = scope
        self._settings = settings(server.options, scope)
        self._opened: Opened | None = None
        self._sorted = 0
        self._at = at
        if replica is not None:
            self._open()  # what is asked together with the version could not be asked of the replica

    @property
    def pin(self) -> ReadState:
        return self._open().pin

    @property
    def owner(self) -> Owner:
        return self._open().owner

    def damaged(self, problem: str) -> StoreError:
        place = self._server.options.name
        return StoreError(f"the tables are damaged ({problem})", place=place, fix=_FIX)

    @lazy
    def _kept(self) -> KeptPacks:
        return KeptPacks(self.owner, self.pin, self._scope.principal)

    @lazy
    def _words(self) -> WordReading:
        return WordReading(self._kept)

    # What rankings are computed from

    def read(self, wanted: Wanted) -> Packs:
        if self._is_empty:
            return _nothing(wanted)
        if self._files is not None and wanted.model is not None and wanted.matrix is None:
            kept = self._files.loaded(self._open().identity, wanted.model, self.pin)
            wanted = wanted._replace(matrix=kept)
        stems, phrases = (
            [stem_key(each) for each in some] for some in (wanted.stems, wanted.phrases)
        )
        asked: dict[str, Sql] = {}
        if wanted.columns_after is not None or wanted.messages_after is not None:
            asked["packs"] = self._packs_after(wanted)
        asked |= {f"filter {n}": self._rows_meeting(each) for n, each in enumerate(wanted.filters)}
        asked |= self._asked_words(stems, phrases)
        if wanted.model is not None:
            asked["vectors"] = self._vectors_after(wanted.model, wanted.matrix)
            asked["model"] = Sql(
                "SELECT number, dimensions FROM model WHERE ws = %s AND name = %s",
                (self._open().ws, wanted.model),
            )
        found = self._asked(asked)
        self._words.take(found, self.pin.blocks, self._sorted)
        while missing := self._asked_words(stems, phrases):  # they were sorted meanwhile
            self._words.take(self._asked(missing), self.pin.blocks, self._sorted)
        packs = [StoredPack(*each) for each in found.get("packs", [])]
        if wanted.columns_after is not None:
            self._kept.keep_names(self._kept.names.extended(packs, self.pin.blocks))
        words = self._words
        return Packs(
            columns=self._columns(packs, wanted.columns_after),
            messages=self._messages(packs, wanted.messages_after),
            documents=[
                self._met(each, found[f"filter {n}"]) for n, each in enumerate(wanted.filters)
            ],
            occurrences={
                each: words.of(key, with_offsets=False).occurrences
                for each, key in zip(wanted.stems, stems, strict=True)
            },
            positions={
                each: words.of(key, with_offsets=True).positions
                for each, key in zip(wanted.phrases, phrases, strict=True)
            },
            matrix=self._matrix(wanted, found),
        )

    def names(self, rows: Sequence[int]) -> Names:
        seen = self._kept.seen
        known = None if seen is None else self._kept.names.places(rows, seen)
        if known is not None:
            return known
        found = self._one(
            self._rows(f"SELECT b.row, {_PLACE} {_OF_BLOCK}", Sql("b.row = ANY (%s)", ([*rows],)))
        )
        named = {row: BlockPlace(*place) for row, *place in found}
        if named.keys() != {*rows}:
            raise self.damaged("the row of a block is malformed")
        return named

    def spelt_like(self, stems: Sequence[str]) -> Mapping[str, Sequence[str]]:
        if self._is_empty:
            return dict.fromkeys(stems, ())
        missing = self._asked_words([], [], any_=True)
        vocabulary = self._kept.vocabulary
        if vocabulary is None or vocabulary.sorted < self._sorted:
            missing["stems"] = Sql(_STEMS, (self._open().ws,) * 2)
        if missing:
            found = self._asked(missing)
            self._words.take(found, self.pin.blocks, self._sorted)
            if "stems" in found:
                vocabulary = StemVocabulary.of((stem for (stem,) in found["stems"]), self._sorted)
        assert vocabulary is not None
        vocabulary = vocabulary.with_recent(self._words.recent)
        self._kept.keep_vocabulary(vocabulary)
        return vocabulary.like(stems)

    # What is shown

    def evidence(self, block_ids: Sequence[str]) -> Sequence[EvidenceRow]:
        found = self._evidence(self._named(Sql("x.id_key = ANY (%s)", (keys_of(block_ids),))))
        return [found[each] for each in block_ids if each in found]

    def evidence_at(self, rows: Sequence[int]) -> Sequence[EvidenceRow]:
        return [*self._evidence(self._named(Sql("x.row = ANY (%s)", ([*rows],)))).values()]

    def evidence_of(self, document_ids: Sequence[str], most: int) -> Sequence[EvidenceRow]:
        own = "SELECT f.row FROM block f WHERE f.ws = d.ws AND f.document = d.row"
        first = Sql(f"b.row IN ({own} ORDER BY f.position, f.id LIMIT %s)", (most,))
        of = Sql("d.id_key = ANY (%s)", (keys_of(document_ids),))
        return [*self._evidence(Sql(_OF_BLOCK), of, first).values()]

    def _named(self, where: Sql) -> Sql:
        """These blocks `x` with their documents.

        OFFSET keeps the planner from beginning with all documents that can be seen.
        """
        return joined(
            "FROM (SELECT * FROM block x WHERE x.ws =",
            self._ws,
            "AND",
            where,
            "OFFSET 0) b JOIN document d ON d.ws = b.ws AND d.row = b.document",
        )

    def _evidence(self, of: Sql, *where: Sql) -> dict[str, EvidenceRow]:
        replaced = joined(
            "ARRAY (SELECT o.id FROM document o WHERE o.superseded_key = d.id_key AND",
            self._seen("o"),
            Sql("ORDER BY o.id LIMIT %s)", (MOST_REPLACED,)),
        )
        select = joined(
            f"SELECT {rows.BLOCK}, {rows.DOCUMENT}, {_USAGE},",
            replaced,
            of,
            "LEFT JOIN usage u ON u.ws = b.ws AND u.block = b.id_key",
        )
        found: dict[str, EvidenceRow] = {}
        documents: dict[str, Document] = {}
        for row in self._one(self._rows(select, *where)):
            own, *last = row[rows.BLOCK_WIDTH :][rows.DOCUMENT_WIDTH :]
            last, replaced_ids = [own, *last[:-1]], last[-1]
            block = rows.block(row[: rows.BLOCK_WIDTH])
            if block.document_id not in documents:
                documents[block.document_id] = rows.document(
                    row[rows.BLOCK_WIDTH : rows.BLOCK_WIDTH + rows.DOCUMENT_WIDTH]
                )
            found[block.id] = EvidenceRow(
                block, documents[block.document_id], tuple(replaced_ids), _usage(last)
            )
        return found

    # Look-ups

    def state(self) -> WorkspaceState:
        known = self._open().state
        if self.pin.hidden == self.pin.version:
            return known
        ages = self._one(
            joined("SELECT EXISTS (", self._rows("SELECT FROM document d", Sql(_ENDS)), ")")
        )
        return replace(known, ages=ages[0][0])

    def info(self) -> Info:
        found = self._asked(
            {
                "kinds": self._rows(
                    "SELECT d.kind, count(*) FROM document d",
                    rest="GROUP BY d.kind ORDER BY d.kind",
                ),
                "blocks": self._rows(
                    f"SELECT count(*), coalesce(sum(b.tokens), 0)::bigint {_OF_BLOCK}"
                ),
                "vectors": self._rows(
                    f"SELECT m.name, m.dimensions, count(*) {_OF_BLOCK}"
                    " JOIN vector v ON v.ws = b.ws AND v.row = b.row"
                    " JOIN model m ON m.ws = v.ws AND m.number = v.model",
                    rest="GROUP BY m.name, m.dimensions ORDER BY m.name",
                ),
                "relations": joined(
                    "SELECT count(*) FROM relation r WHERE", self._seen_relations()
                ),
            }
        )
        if self._is_empty:
            return Info(0, 0, 0, 0, 0, {}, {})
        kinds: dict[str, int] = dict(found["kinds"])
        ((blocks, tokens),) = found["blocks"]
        return Info(
            version=self.pin.version,
            documents=sum(kinds.values()),
            blocks=blocks,
            tokens=tokens,
            relations=found["relations"][0][0],
            kinds=kinds,
            vectors={name: VectorCount(size, count) for name, size, count in found["vectors"]},
        )

    def documents(self, ids: Sequence[str]) -> Sequence[Document]:
        there = self._documents(Sql("d.id_key = ANY (%s)", (keys_of(ids),)))
        by_id = {each.id: each for each in there}
        return [by_id[each] for each in ids if each in by_id]

    def _documents(self, where: Sql, rest: Sql | str = "") -> list[Document]:
        found = self._one(self._rows(f"SELECT {rows.DOCUMENT} FROM document d", where, rest=rest))
        return [*map(rows.document, found)]

    def list_documents(self, filters: Filters, after: str | None, limit: int) -> Sequence[Document]:
        start = Sql("TRUE")
        if after is not None:
            start = Sql("d.id_start >= substr(%s, 1, 200) AND d.id > %s", (after, after))
        where = all_of(start, listed_condition(filters), self._on_paths(filters))
        return self._documents(where, Sql("ORDER BY d.id_start, d.id LIMIT %s", (limit,)))

    def fingerprints(self) -> Mapping[str, str]:
        found = self._one(self._rows("SELECT d.id, d.text_hash FROM document d"))
        return {id_: shown(text_hash) for id_, text_hash in found}

    def blocks_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[Block]:
        found = self._first(rows.BLOCK, document_ids, most)
        return [*map(rows.block, found)]

    def places_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[BlockPlace]:
        return [BlockPlace(*each) for each in self._first(_PLACE, document_ids, most)]

    def _first(self, columns: str, ids: Sequence[str], most: int | None) -> Rows:
        """The first blocks of documents, in the order of the ids."""
        select = joined(
            f"SELECT {columns} FROM",
            Sql("unnest(%s::bytea[]) WITH ORDINALITY w (key, place)", (keys_of(ids),)),
            "JOIN document d ON d.id_key = w.key CROSS JOIN LATERAL (SELECT * FROM block b WHERE"
            " b.ws = d.ws AND b.document = d.row ORDER BY b.position, b.id",
            Sql("LIMIT %s) b", (most,)),
        )
        return self._one(self._rows(select, rest="ORDER BY w.place, b.position, b.id"))

    def nearby(self, block_ids: Sequence[str], reach: int) -> Sequence[Nearby]:
        select = joined(
            f"SELECT w.place, b.position - h.position, {_PLACE} FROM",
            Sql("unnest(%s::bytea[]) WITH ORDINALITY w (key, place)", (keys_of(block_ids),)),
            "JOIN block h ON h.id_key = w.key JOIN document d ON d.ws = h.ws AND d.row = h.document"
            " JOIN block b ON b.ws = d.ws AND b.document = d.row",
            Sql("AND b.position BETWEEN h.position - %s AND h.position + %s", (reach, reach)),
            "AND b.session IS NOT DISTINCT FROM h.session AND b.row <> h.row",
        )
        found = self._one(self._rows(select, rest="ORDER BY w.place, 2, b.id"))
        return [
            Nearby(block_ids[place - 1], BlockPlace(*of), distance)
            for place, distance, *of in found
        ]

    def recent(self, filters: Filters, offset: int, limit: int) -> Sequence[Hit]:
        found = self._one(
            self._rows(
                f"SELECT {_PLACE}, {_WHEN} {_OF_BLOCK}",
                Sql(f"{_WHEN} IS NOT NULL"),
                condition(filters),
                block_condition(filters),
                self._on_paths(filters),
                rest=Sql(
                    f"ORDER BY {_WHEN} DESC, d.id, b.position DESC, b.id LIMIT %s OFFSET %s",
                    (limit, offset),
                ),
            )
        )
        return [Hit(BlockPlace(*place), when / 1e6, "recent") for *place, when in found]

    def _on_paths(self, filters: Filters) -> Sql:
        """The documents that globs let through, which are compared here."""
        if not filters.paths:
            return ALWAYS
        found = self._one(self._rows("SELECT d.row, d.path FROM document d", condition(filters)))
        return Sql("d.row = ANY (%s::bigint[])", (_matching(filters, found),))

    def lineage(self, ids: Sequence[str], levels: int) -> Sequence[Document]:
        # UNION drops what was reached before with as many steps, and the steps are limited: so a cycle ends.
        up = joined(
            Sql(
                "d.id_key IN (WITH RECURSIVE up (key, steps) AS (SELECT unnest(%s::bytea[]), 0",
                (keys_of(ids),),
            ),
            "UNION SELECT p.parent_key, up.steps + 1 FROM up JOIN document p ON p.id_key = up.key WHERE",
            self._seen("p"),
            Sql("AND p.parent_key IS NOT NULL AND up.steps < %s) SELECT key FROM up)", (levels,)),
        )
        return self._documents(up, "ORDER BY d.id")

    def children(self, parents: Sequence[str], limit: int) -> Sequence[Document]:
        select = joined(
            f"SELECT {rows.DOCUMENT} FROM",
            Sql("unnest(%s::bytea[]) WITH ORDINALITY w (key, place)", (keys_of(parents),)),
            "CROSS JOIN LATERAL (SELECT * FROM document c WHERE c.parent_key = w.key AND",
            self._seen("c"),
            Sql("ORDER BY c.position ASC NULLS LAST, c.id LIMIT %s) d", (limit,)),
        )
        found = self._one(
            self._rows(select, rest="ORDER BY w.place, d.position ASC NULLS LAST, d.id")
        )
        return [*map(rows.document, found)]

    def siblings(self, ids: Sequence[str], reach: int) -> Sequence[Sibling]:
        found = self._one(
            joined(
                "SELECT w.place, n.id, n.distance FROM",
                Sql("unnest(%s::bytea[]) WITH ORDINALITY w (key, place)", (keys_of(ids),)),
                "JOIN document s ON s.id_key = w.key CROSS JOIN LATERAL (",
                self._beside("<", "DESC", reach),
                "UNION ALL",
                self._beside(">", "ASC", reach),
                ") n WHERE",
                self._seen("s"),
                "ORDER BY w.place, n.distance",
            )
        )
        return [Sibling(ids[place - 1], id_, distance) for place, id_, distance in found]

    def _beside(self, side: str, order: str, reach: int) -> Sql:
        """The nearest siblings of `s` on one side: Postgres stops at them, however many there are."""
        place, start = (
            f"({each}.position IS NULL, coalesce({each}.position, 0), {each}.id)" for each in "ds"
        )
        sorting = f"d.position IS NULL {order}, coalesce(d.position, 0) {order}, d.id {order}"
        sign = "-" if side == "<" else ""
        return joined(
            f"(SELECT d.id, {sign}row_number() OVER (ORDER BY {sorting}) AS distance FROM document d"
            f" WHERE d.parent_key = s.parent_key AND {place} {side} {start} AND",
            self._visible,
            Sql(f"ORDER BY {sorting} LIMIT %s)", (reach,)),
        )

    def relations(
        self, ids: Sequence[str], types: Collection[str], direction: Direction
    ) -> Sequence[Relation]:
        keys = keys_of(ids)
        near = {
            "out": Sql("r.source_key = ANY (%s)", (keys,)),
            "in": Sql("r.target_key = ANY (%s)", (keys,)),
            "both": Sql("r.source_key = ANY (%s) OR r.target_key = ANY (%s)", (keys, keys)),
        }[direction]
        typed = Sql("r.type = ANY (%s)", (sorted(types),)) if types else ALWAYS
        found = self._one(
            joined(
                "SELECT r.source, r.target, r.type, r.weight FROM relation r WHERE",
                all_of(near, typed, self._seen_relations()),
                "ORDER BY r.source, r.target, r.type",
            )
        )
        return [Relation(*each) for each in found]

    def _seen_relations(self) -> Sql:
        """Both their ends can be seen."""
        ends = [
            joined(
                f"EXISTS (SELECT FROM document d WHERE d.id_key = r.{end}_key AND",
                self._visible,
                ")",
            )
            for end in ("source", "target")
        ]
        return all_of(joined("r.ws =", self._ws), alive(self._version, "r"), *ends)

    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        select = (
            f"SELECT b.id, {_USAGE} {_OF_BLOCK} JOIN usage u ON u.ws = b.ws AND u.block = b.id_key"
        )
        found = self._one(self._rows(select, Sql("b.id_key = ANY (%s)", (keys_of(block_ids),))))
        return {id_: _usage(counts) for id_, *counts in found}

    def activity(self, query: ActivityQuery) -> Sequence[Activity]:
        own = [
            Sql("a.who_key = %s", (key_of(self._scope.principal.user or ""),)),
            Sql("a.action = ANY (%s)", ([*query.actions],)),
        ]
        if query.since is not None:
            own.append(Sql("a.last >= %s", (microseconds(query.since),)))
        if query.documents is not None:
            own.append(Sql("a.document = ANY (%s::bytea[])", (keys_of(query.documents),)))
        found = self._one(
            self._rows(
                "SELECT d.id, a.action, a.last, a.times FROM activity a"
                " JOIN document d ON d.ws = a.ws AND d.id_key = a.document",
                *own,
                rest=Sql("ORDER BY a.last DESC, d.id, a.action LIMIT %s", (query.limit,)),
            )
        )
        return [
            Activity(document, action, last, times)
            for document, action, when, times in found
            if (last := moment(when)) is not None
        ]

    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        return self._vectors("b.id", model, Sql("b.id_key = ANY (%s)", (keys_of(block_ids),)))

    def vectors_at(self, model: str, rows: Sequence[int]) -> Mapping[str, bytes]:
        return self._vectors("b.id", model, Sql("b.row = ANY (%s)", ([*rows],)))

    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        named = {key_of(each): each for each in keys}
        found = self._vectors("v.key", model, Sql("v.key = ANY (%s)", ([*named],)))
        return {named[key]: data for key, data in found.items()}

    def _vectors(self, by: str, model: str, where: Sql) -> dict[Any, bytes]:
        select = (
            f"SELECT {by}, v.data {_OF_BLOCK} JOIN vector v ON v.ws = b.ws AND v.row = b.row"
            " JOIN model m ON m.ws = v.ws AND m.number = v.model"
        )
        return dict(self._one(self._rows(select, where, Sql("m.name = %s", (model,)))))

    @property
    def _is_empty(self) -> bool:
        return not self._open().ws

    def _open(self) -> Opened:
        if self._opened is None:
            self._ask()
        assert self._opened is not None
        return self._opened

    def _asked(self, asked: Mapping[str, Sql]) -> dict[str, Rows]:
        """What each statement finds; where all is known, nobody is asked."""
        if not asked:
            return {}
        return dict(zip(asked, self._ask(*asked.values()), strict=True))

    def _one(self, statement: Sql) -> Rows:
        return self._ask(statement)[0]

    def _ask(self, *statements: Sql) -> list[Rows]:
        """What each statement finds, in one trip; the first one says what is read from then on.

        Later ones are refused if the version has ended meanwhile: they would not find all of it.
        """
        opening = self._opened
        first = pin(self._scope, self._at) if opening is None else opening.guard
        if opening is not None and not opening.ws:
            return [[] for _ in statements]
        if opening is not None and self._replica is not None:
            copied = self._replica.read(self._settings, opening, self._sorted, statements)
            if copied is not None:
                self._sorted, found = copied
                return found
            self._replica = (
                None  # for this read: what it has not got, it may get in the middle of it
            )
        own, *found = self._server.read(self._settings, first, *statements)
        if opening is None:
            self._opened = opened(self._owners, self._scope, self._at, own)
            self._sorted = self._opened.sorted
            return found
        newest = self.pin.newest
        ((oldest, self._sorted),) = own or [(newest + 1, 0)]
        if oldest > self.pin.version:
            raise refusals.version_is_gone(self.pin.version, oldest, max(oldest, newest))
        return found

    @property
    def _visible(self) -> Sql:
        return self._seen("d")

    @property
    def _ws(self) -> Sql:
        """The number of the collection; what is asked with the first trip finds it by itself."""
        return (
            Sql("(SELECT current_ws())") if self._opened is None else Sql("%s", (self._opened.ws,))
        )

    @property
    def _version(self) -> int | None:
        return None if self._opened is None else self._opened.pin.version

    def _seen(self, alias: str) -> Sql:
        is_hidden = self._opened is not None and self.pin.hidden != self.pin.version
        who = self._scope.principal
        return visible(self._ws, who, self._version, is_hidden=is_hidden, alias=alias)

    def _rows(self, select: Sql | str, *conditions: Sql, rest: Sql | str = "") -> Sql:
        """A SELECT of documents `d` that can be seen."""
        return joined(select, "WHERE", all_of(self._visible, *conditions), rest)

    def _packs_after(self, wanted: Wanted) -> Sql:
        pin, block = self.pin, self.pin.blocks
        if wanted.columns_after is not None:
            block = min(wanted.columns_after, self._kept.names.last)
        after = pin.documents if wanted.messages_after is None else wanted.messages_after
        return Sql(
            "SELECT document, block, columns, names, messages FROM pack WHERE ws = %s"
            " AND document <= %s AND (block > %s OR document > %s) ORDER BY document",
            (self._open().ws, pin.documents, block, after),
        )

    def _columns(self, packs: Sequence[StoredPack], after: int | None) -> bytes:
        if after is None:
            return b""
        return b"".join(each.columns for each in packs if each.block > after)

    def _messages(self, packs: Sequence[StoredPack], after: int | None) -> list[Message]:
        if after is None:
            return []
        listed = (each for pack in packs for each in messages_of(pack.messages))
        return [each for each in listed if each.document > after]

    def _asked_words(
        self, stems: Sequence[bytes], phrases: Sequence[bytes], *, any_: bool = False
    ) -> dict[str, Sql]:
        if not (stems or phrases or any_):
            return {}
        return self._words.missing(self._open().ws, self._sorted, self.pin.blocks, stems, phrases)

    def _vectors_after(self, model: str, known: Matrix | None) -> Sql:
        after = known.last if known is not None and self._serves(known) else 0
        return Sql(
            "SELECT v.row, v.data FROM vector v JOIN model m ON m.ws = v.ws AND m.number = v.model"
            " WHERE v.ws = %s AND m.name = %s AND v.row > %s AND v.row <= %s ORDER BY v.row",
            (self._open().ws, model, after, self.pin.blocks),
        )

    def _serves(self, known: Matrix) -> bool:
        return self.pin.is_served_from(known.oldest)

    def _matrix(self, wanted: Wanted, found: dict[str, Rows]) -> Matrix | None:
        if wanted.model is None or not found["model"]:
            return None
        model = EmbeddingModel(*found["model"][0])
        known = wanted.matrix
        matrix = known if known is not None and self._serves(known) else empty_matrix(model)
        newer = found["vectors"]
        if not newer:
            return matrix.extended([], self.pin)
        listed, data = zip(*newer, strict=True)
        if {*map(len, data)} != {4 * model.dimensions}:
            raise self.damaged("an embedding is malformed")
        part = MatrixPart(np.array(listed, np.int64), unit(b"".join(data), model.dimensions))
        extended = matrix.extended([part], self.pin)
        if self._files is None:
            return extended
        is_whole = not len(matrix.blocks)
        return self._files.saved(self._open().identity, wanted.model, extended, is_whole=is_whole)

    def _rows_meeting(self, filters: Filters) -> Sql:
        """The rows of documents, or of blocks if the filters are on blocks; with paths, if they are on these."""
        row = "b.row" if filters.block_metadata else "d.row"
        tables = _OF_BLOCK if filters.block_metadata else "FROM document d"
        columns = f"{row}, d.path" if filters.paths else f"string_agg(int8send({row}), '')"
        return self._rows(
            f"SELECT {columns} {tables}", condition(filters), block_condition(filters)
        )

    def _met(self, filters: Filters, found: Rows) -> Integers:
        if filters.paths:
            rows = np.array(_matching(filters, found), dtype=np.int64)
        else:
            rows = np.frombuffer(found[0][0] or b"", dtype=">i8").astype(np.int64)
        if filters is NO_FILTERS:
            self._kept.keep_seen(rows)
        return rows


def _nothing(wanted: Wanted) -> Packs:
    nowhere = np.empty(0, dtype=np.int64)
    return Packs(
        documents=[nowhere for _ in wanted.filters],
        occurrences=dict.fromkeys(wanted.stems, Occurrences(nowhere, nowhere)),
        positions=dict.fromkeys(wanted.phrases, nowhere),
    )


def _matching(filters: Filters, found: Rows) -> list[int]:
    """The rows whose path a glob matches."""
    globs = Globs(filters.paths)
    return [row for row, path in found if globs.match(path)]


def _usage(counts: Sequence[Any]) -> Usage:
    used, helpful, unhelpful, last = counts
    return _NEVER if used is None else Usage(used, helpful, unhelpful, moment(last))
