"""Exports of other programs become records with their tree, properties and relations."""

from __future__ import annotations

import struct
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo
from zlib import crc32

import pytest
from hypothesis import given, strategies as st

from biblicus_context import InputError
from biblicus_context.ingest import SkippedFile, markdown_records, notion_records
from biblicus_context.ingest.imports.archive import Archive, ArchiveLimits
from biblicus_context.ingest.records import Record, RelationTo
from tests.ingest.build import written
from tests.ingest.notion import HALL, HOME, INVITE, LAUNCH, TASKS, archive_of, export, zipped
from tests.nightly import NIGHTLY
from tests.pace import within


def by_id(records) -> dict[str, Record]:
    found = [*records]
    assert len({each.id for each in found}) == len(found)
    return {each.id: each for each in found}


@pytest.mark.parametrize("with_ids", [True, False])
@pytest.mark.parametrize("kind", ["folder", "zip", "parts"])
def test_an_export_keeps_its_tree_whichever_way_it_is_laid_out(
    tmp_path: Path, kind: str, with_ids: bool
):
    files = export(with_ids=with_ids)
    match kind:
        case "folder":
            place = written(tmp_path / "export", files)
        case "zip":
            place = archive_of(tmp_path / "export.zip", files)
        case _:
            place = archive_of(tmp_path / "export.zip", {"Export-Part-1.zip": zipped(files)})
    found = by_id(notion_records(place))
    assert {each.id: (each.kind, each.title, each.parent) for each in found.values()} == {
        HOME: ("page", "Home", None),
        LAUNCH: ("page", "Launch: the plan", HOME),
        TASKS: ("database", "Tasks", HOME),
        INVITE: ("row", "Invite: the guests!", TASKS),
        HALL: ("row", "Book the hall", TASKS),
        f"{TASKS}#2": ("row", "Order tea", TASKS),
    }
    places = {each.title: each.position for each in found.values()}
    assert places["Tasks"] < places["Launch: the plan"]
    assert places["Invite: the guests!"] < places["Book the hall"] < places["Order tea"]


def test_properties_of_a_row_are_its_metadata_times_tags_and_first_lines(tmp_path: Path):
    hall = by_id(notion_records(archive_of(tmp_path / "export.zip", export())))[HALL]
    assert hall.text.startswith("Status: Open\nDue: May 8, 2026\nPage: Launch\n")
    assert hall.text.endswith("\n\nCall them first.")
    assert hall.tags == ("venue", "urgent")
    assert hall.created == datetime(2026, 5, 1, 16, 5, tzinfo=UTC)
    assert hall.metadata["Due"] == "May 8, 2026"


def test_relations_of_rows_and_links_of_texts_differ_in_type(tmp_path: Path):
    found = by_id(notion_records(archive_of(tmp_path / "export.zip", export())))
    assert found[HALL].relations == (RelationTo(LAUNCH, "rows"),)
    assert found[INVITE].relations == (RelationTo(HALL, "links"),)
    assert {each.target for each in found[HOME].relations} == {LAUNCH, TASKS}


def test_what_is_no_page_is_named(tmp_path: Path):
    skipped: list[SkippedFile] = []
    [*notion_records(archive_of(tmp_path / "e.zip", export()), on_skipped=skipped.append)]
    assert [each.reason for each in skipped] == ["neither a page nor a database"]
    assert skipped[0].name.endswith("plan.png")


def test_a_second_file_of_the_same_id_is_known_by_its_path(tmp_path: Path):
    files = {f"a/Tea {HOME}.md": "# Tea\n\nGreen.", f"b/Tea {HOME}.md": "# Tea\n\nBlack."}
    found = by_id(notion_records(written(tmp_path, files)))
    assert {HOME, f"b/Tea {HOME}.md"} == set(found)


def test_a_folder_of_markdown_is_a_tree_of_pages(tmp_path: Path):
    files = {
        "index.md": "# Handbook\n\nSee [tea](drinks/tea.md).",
        "drinks/README.md": "# Drinks\n\nHot ones.",
        "drinks/tea.md": "---\ntags: [hot]\ndate: 2026-05-08\n---\nNo heading, but [[coffee]].",
        "drinks/cold/juice.md": "Cold.",
        "drinks/coffee.md": "# Coffee",
        "drinks/photo.png": b"\x89PNG",
    }
    skipped: list[SkippedFile] = []
    found = by_id(markdown_records(written(tmp_path, files), on_skipped=skipped.append))
    assert {each.id: (each.title, each.parent) for each in found.values()} == {
        "index.md": ("Handbook", None),
        "drinks/README.md": ("Drinks", None),
        "drinks/tea.md": ("tea", "drinks/README.md"),
        "drinks/coffee.md": ("Coffee", "drinks/README.md"),
        "drinks/cold": ("cold", "drinks/README.md"),
        "drinks/cold/juice.md": ("juice", "drinks/cold"),
    }
    tea = found["drinks/tea.md"]
    assert (tea.tags, tea.created) == (("hot",), datetime(2026, 5, 8, tzinfo=UTC))
    assert tea.text == "No heading, but [[coffee]]."
    assert tea.relations == (RelationTo("drinks/coffee.md", "links"),)
    assert [each.name for each in skipped] == ["drinks/photo.png"]


@pytest.mark.parametrize(
    "name",
    ["../out.md", "a/../../out.md", "/etc/out.md", "C:/out.md", "a\\..\\out.md", "a/\x1b[2J.md"],
)
def test_names_that_lead_elsewhere_are_skipped(tmp_path: Path, name: str):
    place = tmp_path / "e.zip"
    with ZipFile(place, "w") as archive:
        archive.writestr(ZipInfo(name), "# Out")
        archive.writestr("in.md", "# In")
    skipped: list[SkippedFile] = []
    found = by_id(notion_records(place, on_skipped=skipped.append))
    assert set(found) == {"in.md"}
    assert len(skipped) == 1
    assert skipped[0].name.isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["e.zip"]


@pytest.mark.parametrize("name", ["", ".", "./.", ".//"])
def test_a_member_without_a_name_is_skipped(tmp_path: Path, name: str):
    place = tmp_path / "e.zip"
    place.write_bytes(listed([b"in.md", name.encode()]))
    skipped: list[SkippedFile] = []
    assert set(by_id(notion_records(place, on_skipped=skipped.append))) == {"in.md"}
    assert [each.reason for each in skipped] == ["it has no name"] * (not name.endswith("/"))


def listed(names: list[bytes]) -> bytes:
    """An archive with a member of these names, all of them one stored text."""
    text = b"# In"
    check = crc32(text)
    local = b"".join(
        struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, check, 4, 4, len(each), 0)
        + each
        + text
        for each in names[:2]
    )
    places = [0, 30 + len(names[0]) + 4]
    entries = b"".join(
        struct.pack(
            *("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, check, 4, 4, len(each)),
            *(0, 0, 0, 0, 0, places[min(at, 1)]),
        )
        + each
        for at, each in enumerate(names)
    )
    count = min(len(names), 0xFFFF)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(entries), len(local), 0)
    return local + entries + end


def test_the_lists_of_inner_archives_share_one_budget(tmp_path: Path):
    """Eight archives of 1 MB in all, each with a list of 340,000 members, took 1.1 GB."""
    archives = 8 if NIGHTLY else 4
    long = listed([b"%06x" % number for number in range(100_000)])
    place = tmp_path / "e.zip"
    with ZipFile(place, "w", ZIP_DEFLATED) as archive:
        archive.writestr("in.md", "# In")
        for number in range(archives):
            archive.writestr(f"part-{number}.zip", long)
    tracemalloc.start()
    with within(20), Archive(place) as opened:
        found = len(opened.files)
        reasons = {each.name: each.reason for each in opened.skipped}
        peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found < 200_000
    refused = [name for name, said in reasons.items() if said == "the archive lists too many files"]
    assert len(refused) >= archives - 2
    assert peak < 250_000_000


def test_links_in_an_archive_and_second_files_of_a_name_are_skipped(tmp_path: Path):
    place = tmp_path / "e.zip"
    link = ZipInfo("link.md")
    link.external_attr = 0o120777 << 16
    with ZipFile(place, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("in.md", "# In")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("in.md", "# Other")
    skipped: list[SkippedFile] = []
    found = by_id(notion_records(place, on_skipped=skipped.append))
    assert found["in.md"].title == "Other" or found["in.md"].title == "In"
    assert {each.reason for each in skipped} == {"a link", "another file has the same name"}


def test_a_bomb_is_unpacked_as_far_as_the_limits_say(tmp_path: Path):
    files = {f"{number}.md": b"a" * 3_000_000 for number in range(5)}
    place = archive_of(tmp_path / "bomb.zip", files)
    with Archive(place, ArchiveLimits(member=2_000_000, total=5_000_000)) as archive:
        reasons = [archive.read(each).reason for each in archive.files]
    assert reasons[0] == "larger than 2,000,000 bytes"
    assert reasons[-1] == "the archive has more than 5,000,000 bytes"


def test_a_bomb_of_archives_is_bounded_too(tmp_path: Path):
    inner = zipped({"a.md": b"a" * 3_000_000})
    place = archive_of(
        tmp_path / "bomb.zip", {"one.zip": inner, "two.zip": zipped({"x.zip": inner})}
    )
    with Archive(place, ArchiveLimits(member=10, total=100)) as archive:
        assert archive.files == []
        assert len(archive.skipped) == 2
    with Archive(place) as archive:
        assert sorted(each.name for each in archive.files) == ["a.md", "x.zip"]


def test_a_member_that_lies_about_its_size_is_not_trusted(tmp_path: Path):
    data = bytearray(zipped({"a.md": b"a" * 100_000}))
    at = data.rindex(b"PK\1\2")
    struct.pack_into("<I", data, at + 24, 5)
    (tmp_path / "lie.zip").write_bytes(data)
    with Archive(tmp_path / "lie.zip", ArchiveLimits(member=50_000)) as archive:
        found = archive.read(archive.files[0])
    assert isinstance(found, SkippedFile) or len(found.data) <= 50_000


def test_an_archive_that_lists_too_much_is_refused_before_it_is_listed(tmp_path: Path):
    data = bytearray(zipped({"a.md": b"a"}))
    at = data.rindex(b"PK\5\6")
    struct.pack_into("<I", data, at + 12, 900_000_000)
    (tmp_path / "list.zip").write_bytes(data)
    with pytest.raises(InputError, match="the archive lists too many files"):
        [*notion_records(tmp_path / "list.zip")]


@pytest.mark.parametrize("content", [b"", b"PK", b"hello" * 99])
def test_what_is_not_an_archive_is_an_error_that_says_what_to_pass(tmp_path: Path, content: bytes):
    (tmp_path / "e.zip").write_bytes(content)
    with pytest.raises(InputError, match=r"not a zip archive: .*Pass the zip file of an export"):
        [*notion_records(tmp_path / "e.zip")]
    with pytest.raises(InputError, match="no such file or folder"):
        [*markdown_records(tmp_path / "nowhere")]


@given(st.data())
def test_damaged_archives_end_in_records_or_an_input_error(tmp_path_factory, data):
    whole = bytearray(zipped(export()))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    place = tmp_path_factory.mktemp("damaged") / "e.zip"
    place.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with suppress(InputError):
        by_id(notion_records(place))


@given(st.text(max_size=300), st.text(max_size=200))
def test_any_text_is_a_page_and_any_table_has_rows(tmp_path_factory, text, table):
    files = {f"Home {HOME}.md": text, f"T {TASKS}.csv": table, f"T {TASKS}/x.md": text}
    place = written(tmp_path_factory.mktemp("any"), {
        name: content.encode(errors="replace") for name, content in files.items()
    })  # fmt: skip
    found = by_id(notion_records(place))
    assert all(each.title.isprintable() or each.title for each in found.values() if each.title)


def test_a_hostile_page_takes_bounded_time(tmp_path: Path):
    page = "# T\n\n" + "\n".join(f"{'a(' * 400}: {'(b' * 9_000}.md" for _ in range(50))
    place = written(tmp_path, {f"T {TASKS}.csv": "Name\n" * 50_000, f"T {TASKS}/x.md": page})
    with within(seconds=20):
        [*notion_records(place)]
