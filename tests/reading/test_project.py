"""Files and folders as one project: names resolved, everything that is wrong told at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from biblicus_context.errors import LoadError, PlanError, ProjectError
from biblicus_context.reading import load_project
from tests.permissions import permissions_hold

CONTEXT = "kind: context\nname: {}\n"
INSERT = "kind: context\nname: {}\nmessages:\n  - {{type: context, name: {}}}\n"


def _write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        file = folder / name.replace("__", "/")
        file = file if file.suffix else file.with_suffix(".yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def _error(*paths: Path | str, **options: object) -> LoadError:
    with pytest.raises(LoadError) as caught:
        load_project(*paths, **options)
    return caught.value


def test_a_folder_is_read_whole(tmp_path):
    _write(tmp_path, a=CONTEXT.format("a"), deep__er__b=CONTEXT.format("b"))
    (tmp_path / "c.yml").write_text("kind: policy\nname: c\n---\nkind: corpus\nname: d\n")
    (tmp_path / "notes.txt").write_text("not a plan")
    project = load_project(tmp_path)
    assert (list(project.contexts), list(project.policies)) == (["a", "b"], ["c"])
    assert project.sources["corpus", "d"] == (str(tmp_path / "c.yml"), 4)


def test_a_file_is_read_whatever_it_is_called(tmp_path):
    (tmp_path / "plan.txt").write_text(CONTEXT.format("a"))
    assert list(load_project(str(tmp_path / "plan.txt")).contexts) == ["a"]


def test_several_paths_make_one_project_and_no_file_is_read_twice(tmp_path):
    _write(tmp_path, one__a=INSERT.format("a", "b"), two__b=CONTEXT.format("b"))
    project = load_project(
        tmp_path / "one", tmp_path / "two", tmp_path, tmp_path / "one" / "a.yaml"
    )
    assert list(project.contexts) == ["a", "b"]


def test_the_same_declarations_have_the_same_digest_wherever_they_are(tmp_path):
    plan = "kind: context\nname: a\nmessages:\n  - {type: system, content: {file: style.md}}\n"
    one, two, other = (
        _write(tmp_path / name, a=plan, **{"style.md": text})
        for name, text in (("one", "Be brief."), ("two", "Be brief."), ("other", "Be kind."))
    )
    first = load_project(one).digest
    assert load_project(two).digest == first
    assert load_project(other).digest != first
    _write(two, b=CONTEXT.format("b"))
    assert load_project(two).digest != first


def test_hidden_files_and_folders_are_left_out(tmp_path):
    _write(tmp_path, a=CONTEXT.format("a"))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "b.yaml").write_text("not: a plan")
    (tmp_path / ".hidden.yaml").write_text("not: a plan")
    assert list(load_project(tmp_path).contexts) == ["a"]


def test_links_that_lead_in_a_cycle_do_no_harm(tmp_path):
    _write(tmp_path, deep__a=CONTEXT.format("a"))
    (tmp_path / "deep" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "b.yaml").symlink_to(tmp_path / "deep" / "a.yaml")
    assert list(load_project(tmp_path).contexts) == ["a"]


def test_a_link_to_itself_is_an_error_of_that_file(tmp_path):
    (tmp_path / "a.yaml").symlink_to(tmp_path / "a.yaml")
    assert _error(tmp_path).file == str(tmp_path / "a.yaml")


def test_the_order_is_that_of_the_names(tmp_path):
    _write(tmp_path, **{name: CONTEXT.format(name) for name in ("c", "a", "b__z", "b__y")})
    assert list(load_project(tmp_path).contexts) == ["a", "b__y", "b__z", "c"]


def test_a_path_that_is_not_there_is_told(tmp_path):
    error = _error(tmp_path / "nowhere")
    assert error.file == str(tmp_path / "nowhere")
    assert "No such file" in str(error)


def test_an_empty_folder_is_told(tmp_path):
    assert "no .yaml file" in str(_error(tmp_path))


def test_a_file_that_disappears_is_told_and_the_rest_is_read(tmp_path):
    _write(tmp_path, a="kind: what\n")
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "deleted.yaml")
    error = _error(tmp_path)
    assert isinstance(error, ProjectError)
    assert [Path(problem.file).name for problem in error.problems] == ["a.yaml", "gone.yaml"]


def test_a_binary_file_is_told(tmp_path):
    _write(tmp_path, image=bytes(range(256)) * 10)
    assert "UTF-8" in str(_error(tmp_path)) or "invisible" in str(_error(tmp_path))


def test_a_huge_file_is_refused_without_reading_it_whole(tmp_path):
    with (tmp_path / "huge.yaml").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    assert "larger than 1,048,576 bytes" in str(_error(tmp_path))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "not a regular file" in str(_error(tmp_path))


def test_a_file_that_may_not_be_read_is_told(tmp_path):
    file = _write(tmp_path, a=CONTEXT.format("a")) / "a.yaml"
    file.chmod(0)
    with permissions_hold():
        assert "Permission denied" in str(_error(file))


def test_one_problem_is_raised_as_it_is_and_several_together(tmp_path):
    _write(tmp_path, a="kind: what\n")
    assert type(_error(tmp_path)) is LoadError
    _write(tmp_path, b="kind: context\nname: b\npolicy: none\n", c="- a\n")
    error = _error(tmp_path)
    assert isinstance(error, ProjectError)
    assert isinstance(error, PlanError)
    assert [Path(problem.file).stem for problem in error.problems] == ["a", "b", "c"]
    assert str(error).startswith("3 problems:\n")
    assert all(str(problem) in str(error) for problem in error.problems)
    assert (error.file, error.line, error.column) == (str(tmp_path / "a.yaml"), 1, 7)


def test_a_name_taken_twice_shows_both_places(tmp_path):
    _write(tmp_path, a="# one\nkind: policy\nname: small\n", b="kind: policy\nname: small\n")
    error = _error(tmp_path)
    assert (error.file, error.line, error.column) == (str(tmp_path / "b.yaml"), 2, 7)
    assert f"{tmp_path / 'a.yaml'}:2" in str(error)


def test_kinds_have_names_of_their_own_but_contexts_and_retrievers_share_theirs(tmp_path):
    kinds = ("context", "policy", "corpus")
    _write(tmp_path, **{kind: f"kind: {kind}\nname: same\n" for kind in kinds})
    assert load_project(tmp_path).policies["same"].name == "same"
    _write(tmp_path, retriever="kind: retriever\nname: same\n")
    assert "already used by a context" in str(_error(tmp_path))


def test_names_are_found_across_files(tmp_path):
    _write(
        tmp_path,
        a=INSERT.format("a", "kb"),
        b="kind: retriever\nname: kb\ncorpus: handbook\n",
        c="kind: corpus\nname: handbook\n",
    )
    assert load_project(tmp_path).retrievers["kb"].corpus == "handbook"
    with pytest.raises(LoadError, match="unknown pack"):
        load_project(tmp_path / "a.yaml")


def test_names_that_python_declares_are_known(tmp_path):
    _write(
        tmp_path,
        a=INSERT.format("a", "kb"),
        b="kind: context\nname: b\npolicy: mine\npacks: [a, kb]\n",
        c="kind: policy\nname: c\ncompactor: gentle\n",
        d="kind: retriever\nname: d\nconfig: {corpus: ours}\n",
    )
    assert load_project(tmp_path, also=frozenset({"kb", "mine", "gentle", "ours"})).contexts
    assert len(_error(tmp_path).problems) == 5
    assert "Did you mean 'gentlee'?" in str(
        _error(tmp_path, also=["kb", "mine", "ours", "gentlee"])
    )


def test_an_unknown_name_lists_the_nearest_of_many(tmp_path):
    _write(tmp_path, a=INSERT.format("zzz", "kb_serch"), kb=CONTEXT.format("kb_search"))
    _write(tmp_path, **{f"c{n}": CONTEXT.format(f"c{n}") for n in range(50)})
    error = _error(tmp_path)
    assert str(error).endswith("Did you mean 'kb_search'?")
    assert len(error.valid) < 30


def test_who_uses_a_name_from_a_broken_file_is_not_blamed(tmp_path):
    _write(
        tmp_path,
        a=INSERT.format("a", "b"),
        b='kind: context\nname: b\ndescription: "open\n',
        c="kind: context\nname: c\npolicy: small\n",
        d="kind: policy\nname: small\nwindow: none\n",
    )
    error = _error(tmp_path)
    assert [Path(problem.file).stem for problem in error.problems] == ["b", "d"]


def test_a_cycle_across_files_names_every_file(tmp_path):
    _write(
        tmp_path, a=INSERT.format("a", "b"), b=INSERT.format("b", "c"), c=INSERT.format("c", "a")
    )
    error = _error(tmp_path)
    assert "cycle: a -> b -> c -> a" in str(error)
    assert (error.file, error.line, error.column) == (str(tmp_path / "c.yaml"), 4, 27)
    assert all(f"{tmp_path / name}.yaml:1" in str(error) for name in "abc")


def test_two_cycles_are_two_errors(tmp_path):
    _write(
        tmp_path, a=INSERT.format("a", "a"), b=INSERT.format("b", "c"), c=INSERT.format("c", "b")
    )
    assert len(_error(tmp_path).problems) == 2


def test_nesting_without_a_cycle_is_no_error_however_deep_and_wide(tmp_path):
    deep = "---\n".join(INSERT.format(f"d{n}", f"d{n + 1}") for n in range(3_000))
    wide = "".join(f"  - {{type: context, name: d{n}}}\n" for n in range(3_000))
    _write(tmp_path, deep=deep, last=CONTEXT.format("d3000"))
    _write(tmp_path, wide="kind: context\nname: wide\nmessages:\n" + wide)
    assert len(load_project(tmp_path).contexts) == 3_002


def test_a_root_begins_at_the_file_that_declares_it(tmp_path, monkeypatch):
    _write(
        tmp_path,
        plans__a="kind: corpus\nname: a\nconfig: {root: ../docs, split: test}\n",
        plans__b=f"kind: corpus\nname: b\nconfig: {{root: {tmp_path}/else}}\n",
        plans__c="kind: corpus\nname: c\n",
        plans__d="kind: corpus\nname: d\nconfig: {root: 's3://bucket/docs'}\n",
    )
    monkeypatch.chdir(tmp_path)
    project = load_project("plans")
    assert project.corpora["a"].config == {"root": str(tmp_path / "docs"), "split": "test"}
    assert project.corpora["b"].config["root"] == str(tmp_path / "else")
    assert project.corpora["c"].config == {}
    assert project.corpora["d"].config["root"] == "s3://bucket/docs"
    assert project.declared_roots == {
        "a": "../docs",
        "b": f"{tmp_path}/else",
        "d": "s3://bucket/docs",
    }


def test_a_program_names_what_it_expects_of_a_project(tmp_path: Path):
    files = _write(
        tmp_path, plan="kind: context\nname: memory\n---\nkind: retriever\nname: recal\n"
    )
    project = load_project(files)
    assert project.expecting("memory", "recal") is project
    with pytest.raises(PlanError, match=r"Retriever 'recall' not defined\. Known: recal"):
        project.expecting("memory", "recall")
    with pytest.raises(PlanError, match="Context 'memories' not defined"):
        project.expecting("memories")
