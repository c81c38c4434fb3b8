"""The tables of one workspace, as steps from each version of the tables to the next.

Released steps never change: files of every older version exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.stores.sqlite.schema.packing import pack
from biblicus_context.stores.sqlite.write import word_index

if TYPE_CHECKING:
    import sqlite3

APPLICATION_ID: Final = 0x62634378
"""In the header of every file, so that a foreign file is recognised before SQLite opens it."""
PAGE_SIZE: Final = 8192

MODEL_BITS: Final = 40
"""A row number of `vectors` is the number of its model above these bits, and the row of its block below.

    So the embeddings of a model are one range of rows, in the order of their blocks, without an index.
    """

# Versions: a row of `documents` is never changed except for `removed` (and `accessed`, which is not
# part of a version). A version shows the rows with added <= version < removed, so a pinned read needs
# no copy; a changed document is a new row.
# Row numbers of blocks rise and are never reused (`space.blocks` is the last one given out), so
# whatever is derived from them in memory or in files next to the database only grows.
# Long texts are in a table of their own: a scan of the short columns would have to read past them.
_FIRST: Final = """
CREATE TABLE space (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    workspace TEXT NOT NULL,
    identity TEXT NOT NULL,
    version INTEGER NOT NULL,
    oldest INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    blocks INTEGER NOT NULL
) STRICT;
CREATE TABLE versions (number INTEGER PRIMARY KEY, written INTEGER NOT NULL) STRICT;
CREATE TABLE documents (
    row INTEGER PRIMARY KEY,
    added INTEGER NOT NULL,
    removed INTEGER,
    restricted INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    path TEXT,
    uri TEXT,
    text_hash TEXT NOT NULL,
    created INTEGER,
    updated INTEGER,
    accessed INTEGER,
    confidence REAL,
    importance REAL,
    conversation TEXT,
    metadata TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_now ON documents (id) WHERE removed IS NULL;
CREATE INDEX documents_by_id ON documents (id);
CREATE INDEX documents_by_time ON documents (coalesce(updated, created) DESC, id);
CREATE INDEX documents_removed ON documents (removed) WHERE removed IS NOT NULL;
CREATE TABLE tags (
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (document, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE readers (
    document INTEGER NOT NULL,
    is_group INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (document, is_group, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE blocks (
    row INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    words INTEGER NOT NULL,
    session TEXT,
    id TEXT NOT NULL
) STRICT;
CREATE INDEX blocks_by_id ON blocks (id);
CREATE INDEX blocks_by_document ON blocks (document, position);
CREATE TABLE texts (
    block INTEGER PRIMARY KEY,
    first_line INTEGER,
    last_line INTEGER,
    heading TEXT NOT NULL,
    metadata TEXT NOT NULL,
    text TEXT NOT NULL,
    indexed_text TEXT
) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE word_places USING fts5vocab (words, instance);
CREATE TABLE models (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL
) STRICT;
CREATE TABLE vectors (row INTEGER PRIMARY KEY, key TEXT, data BLOB NOT NULL) STRICT;
CREATE INDEX vectors_by_key ON vectors (key) WHERE key IS NOT NULL;
CREATE TABLE relations (
    row INTEGER PRIMARY KEY,
    added INTEGER NOT NULL,
    removed INTEGER,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    type TEXT NOT NULL,
    weight REAL NOT NULL
) STRICT;
CREATE INDEX relations_out ON relations (source, target, type);
CREATE INDEX relations_in ON relations (target);
CREATE INDEX relations_removed ON relations (removed) WHERE removed IS NOT NULL;
CREATE TABLE usage (
    block_id TEXT PRIMARY KEY,
    used INTEGER NOT NULL DEFAULT 0,
    helpful INTEGER NOT NULL DEFAULT 0,
    unhelpful INTEGER NOT NULL DEFAULT 0,
    last_used INTEGER
) STRICT, WITHOUT ROWID;
"""

_SPELLINGS: Final = """
CREATE TABLE stems (row INTEGER PRIMARY KEY, stem TEXT NOT NULL UNIQUE) STRICT;
CREATE VIRTUAL TABLE spellings USING fts5 (
    stem, content='', detail=none, columnsize=0, tokenize='trigram'
);
CREATE VIRTUAL TABLE spelling_places USING fts5vocab (spellings, instance);
CREATE VIRTUAL TABLE word_counts USING fts5vocab (words, row);
INSERT INTO stems (stem) SELECT term FROM word_counts WHERE length(term) <= 64;
INSERT INTO spellings (rowid, stem) SELECT row, '  ' || stem || ' ' FROM stems;
"""

_COLUMNS: Final = "CREATE TABLE columns (last INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT"
"""Packs of short columns, see packing.py; `last` is the last row of a pack."""

_SOURCE: Final = "ALTER TABLE space ADD COLUMN source TEXT"

_SPELT: Final = """
ALTER TABLE space ADD COLUMN spelt INTEGER NOT NULL DEFAULT 0;
UPDATE space SET spelt = blocks;
"""
"""`spelt` is the last block whose words are in `stems`; words of later ones are in `words` only."""

_TREES: Final = """
ALTER TABLE documents ADD COLUMN parent TEXT;
ALTER TABLE documents ADD COLUMN position INTEGER;
ALTER TABLE documents ADD COLUMN superseded_by TEXT;
ALTER TABLE documents ADD COLUMN valid_from INTEGER;
ALTER TABLE documents ADD COLUMN valid_to INTEGER;
CREATE INDEX documents_by_parent ON documents (parent) WHERE parent IS NOT NULL;
CREATE INDEX documents_with_an_end ON documents (row)
    WHERE valid_from IS NOT NULL OR valid_to IS NOT NULL;
"""

_ACTIVITY: Final = """
CREATE TABLE activity (
    user TEXT NOT NULL,
    document_id TEXT NOT NULL,
    action TEXT NOT NULL,
    last INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (user, document_id, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_by_time ON activity (user, last DESC);
CREATE INDEX activity_by_document ON activity (document_id);
"""

_CONVERSATIONS: Final = """
CREATE INDEX documents_by_conversation ON documents (
    conversation, coalesce(updated, created) DESC, id
) WHERE conversation IS NOT NULL
"""
"""The last messages of a conversation, without reading those of all others."""

_SUPERSEDERS: Final = """
CREATE INDEX documents_by_superseder ON documents (superseded_by) WHERE superseded_by IS NOT NULL
"""
"""What a document replaces, without reading those that nothing replaces."""

_CHILDREN: Final = """
DROP INDEX documents_by_parent;
CREATE INDEX documents_by_parent ON documents (parent, position IS NULL, position, id)
    WHERE parent IS NOT NULL
"""
"""The first children of a document, without reading and sorting all of them."""

_OWN_READERS: Final = """
ALTER TABLE documents ADD COLUMN own_readers INTEGER;
UPDATE documents SET own_readers =
    restricted <> coalesce((SELECT p.restricted FROM documents p
        WHERE p.id = documents.parent AND p.removed IS NULL), 0)
    OR EXISTS (SELECT r.is_group, r.name FROM readers r WHERE r.document = documents.row
        EXCEPT SELECT r.is_group, r.name FROM documents p JOIN readers r ON r.document = p.row
        WHERE p.id = documents.parent AND p.removed IS NULL)
    OR EXISTS (SELECT r.is_group, r.name FROM documents p JOIN readers r ON r.document = p.row
        WHERE p.id = documents.parent AND p.removed IS NULL
        EXCEPT SELECT r.is_group, r.name FROM readers r WHERE r.document = documents.row)
    WHERE removed IS NULL;
CREATE INDEX documents_restricted ON documents (added) WHERE restricted
"""
"""Readers of a document that differ from those of its parent were given to itself. The index finds
what was hidden since the version that a read is pinned to."""

_FILLING: Final = "ALTER TABLE space ADD COLUMN is_partial INTEGER NOT NULL DEFAULT 0"
"""Whether an ingest began to fill the workspace, and has not finished."""

NEW_SPACE: Final = (
    "INSERT INTO space (only, workspace, identity, version, oldest, documents, blocks)"
    " VALUES (1, ?, ?, 0, 0, 0, 0)"
)
"""The row of a workspace in which nothing was written yet."""

_REMAINS: Final = """
ALTER TABLE space ADD COLUMN remains INTEGER;
ALTER TABLE space ADD COLUMN repacked INTEGER NOT NULL DEFAULT 0;
UPDATE space SET remains = 0 WHERE version > 0
"""
"""`remains`: until when (in microseconds) bytes of what was removed may be in the files; NULL: none are.

0 is that of a file of an older release, whose free pages were perhaps not overwritten. `repacked` is
the version in which the packs of `columns` were last made again from the tables.
"""

_ENDED: Final = """
CREATE TABLE ended (
    reader TEXT NOT NULL,
    other TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (reader, other)
) STRICT, WITHOUT ROWID;
INSERT INTO ended SELECT '', '', oldest FROM space WHERE oldest > 0;
ALTER TABLE space ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
UPDATE space SET erased = version WHERE remains IS NULL
"""
"""The versions that have ended, by who could see what is gone from them, see ended.py. What was removed
up to the version `erased` is in no file any more."""

_WORDS: Final = """
CREATE TABLE recent_words (first INTEGER PRIMARY KEY, parts BLOB NOT NULL, stems BLOB NOT NULL) STRICT;
CREATE TABLE segments (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, number INTEGER NOT NULL) STRICT;
CREATE TABLE postings (
    place INTEGER PRIMARY KEY, parts BLOB NOT NULL, counts BLOB NOT NULL, offsets BLOB NOT NULL
) STRICT;
DROP TABLE word_places;
DROP TABLE word_counts;
DROP TABLE words;
UPDATE space SET remains = 0 WHERE version > 0
"""
"""Words in packs of our own, see word_packs.py; before, FTS5 had them. `spelt` is the last of `stems` that
is in `spellings` from here on. What FTS5 leaves in free pages is erased after this."""
_HAS_WORDS: Final = 15

_UNSWEPT: Final = "ALTER TABLE space ADD COLUMN unswept INTEGER NOT NULL DEFAULT -1"
"""How many writes there were since nothing was left in any page; below 0 if nobody counted them."""

_TOKENS: Final = """
CREATE TABLE tokens (
    token TEXT PRIMARY KEY, version INTEGER NOT NULL, removes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_version ON tokens (version)
"""
"""By which a write is known that is made again."""

STEPS: Final = (
    _FIRST,
    _SPELLINGS,
    _COLUMNS,
    _SOURCE,
    _SPELT,
    _TREES,
    _ACTIVITY,
    _CONVERSATIONS,
    _SUPERSEDERS,
    _CHILDREN,
    _OWN_READERS,
    _FILLING,
    _REMAINS,
    _ENDED,
    _WORDS,
    _UNSWEPT,
    _TOKENS,
)
"""Step n leads from version n to version n + 1."""
VERSION: Final = len(STEPS)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the newest version, in the open transaction."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for step in STEPS[version:]:
        for statement in step.split(";\n"):
            connection.execute(statement)
    pack(connection)
    if version < _HAS_WORDS:
        word_index.rebuild(connection)
    connection.execute(f"PRAGMA user_version = {VERSION}")
