"""What somebody sees who writes plans in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.service.lsp.conftest import KB, SUPPORT, TEST, Edit, Editor

_REPEATED = "  input_budget: {max_tokens: 1000}"


def test_findings_come_with_what_is_typed_and_go_with_it(edit: Edit) -> None:
    async def work(editor: Editor) -> list[list[str]]:
        broken = SUPPORT.replace("name: kb", "name: kbb")
        before = await editor.open("support.yaml")
        typed = await editor.change("support.yaml", broken)
        after = await editor.change("support.yaml", SUPPORT)
        return [[each.message for each in found] for found in (before, typed, after)]

    before, typed, after = edit(work)
    assert before == after == []
    assert any("Did you mean 'kb'?" in each for each in typed)


def test_a_finding_is_at_its_word_also_after_characters_of_two_units(edit: Edit) -> None:
    async def work(editor: Editor) -> types.Diagnostic:
        text = SUPPORT.replace("content: You are kind.", 'content: "🙂🙂 {input.qestion}"')
        (found,) = [
            each for each in await editor.open("support.yaml", text) if each.code == "BC403"
        ]
        line = text.splitlines()[found.range.start.line].encode("utf-16-le")
        said = line[2 * found.range.start.character : 2 * found.range.end.character]
        assert said.decode("utf-16-le") == "{input.qestion}"
        return found

    assert edit(work).source == "biblicus-context"


def test_a_key_is_explained_a_text_is_counted_and_a_pack_has_its_share(edit: Edit) -> None:
    async def work(editor: Editor) -> list[str]:
        await editor.open("support.yaml")
        said = []
        for after in ("pack_bud", "You are", "name: k"):
            place = editor.at("support.yaml", SUPPORT, after)
            found = await editor.client.text_document_hover_async(types.HoverParams(**place))
            said.append(found.contents.value)
        return said

    key, text, pack = edit(work)
    assert key.startswith("`pack_budget`: ")
    assert text == "4 tokens (o200k_base)"
    assert "retriever `kb`" in pack
    assert "up to 500" in pack


@pytest.mark.parametrize(
    ("name", "text", "after", "expected"),
    [
        ("support.yaml", SUPPORT, "{input.", {"question"}),
        ("support.yaml", SUPPORT, "{context.", {"kb", "support"}),
        ("support.yaml", SUPPORT, "{type: context, name: ", {"kb", "support"}),
        ("kb.yaml", KB, "corpus: ", {"handbook"}),
        ("kb.yaml", KB, "retriever_id: ", {"hybrid", "keyword", "vector"}),
        ("support.yaml", f"{SUPPORT}po", "\npo", {"packs"}),
        ("support.yaml", SUPPORT.replace(_REPEATED, f"{_REPEATED}\n  ov"), "\n  ov", {"overflow"}),
        ("support.yaml", f"{SUPPORT}  - type: history\n    ke", "\n    ke", {"keep_last"}),
        ("new.yaml", "kind: ", "kind: ", {"context", "policy", "format"}),
    ],
)
def test_names_inputs_settings_and_values_are_completed(
    edit: Edit, project: Path, name: str, text: str, after: str, expected: set[str]
) -> None:
    (project / "contexts" / name).touch()

    async def work(editor: Editor) -> set[str]:
        await editor.open(name, text)
        place = types.CompletionParams(**editor.at(name, text, after))
        found = await editor.client.text_document_completion_async(place)
        return {each.label for each in found}

    assert expected <= edit(work)


def test_a_key_that_is_there_is_not_offered_again(edit: Edit) -> None:
    async def work(editor: Editor) -> set[str]:
        text = SUPPORT.replace(_REPEATED, f"{_REPEATED}\n  in")
        await editor.open("support.yaml", text)
        place = types.CompletionParams(**editor.at("support.yaml", text, "1000}\n  in"))
        return {each.label for each in await editor.client.text_document_completion_async(place)}

    found = edit(work)
    assert "overflow" in found
    assert "input_budget" not in found


def test_a_name_leads_to_its_declaration_in_another_file(edit: Edit) -> None:
    async def work(editor: Editor) -> types.Location:
        await editor.open("support.yaml")
        place = types.DefinitionParams(**editor.at("support.yaml", SUPPORT, "context, name: k"))
        (found,) = await editor.client.text_document_definition_async(place)
        assert found.uri == editor.uri("kb.yaml")
        return found

    assert edit(work).range.start == types.Position(1, 6)


def test_a_new_name_is_written_everywhere_and_the_project_stays_sound(edit: Edit) -> None:
    async def work(editor: Editor) -> dict[str, str]:
        await editor.open("support.yaml")
        written = {}
        for after, name in (("context, name: k", "evidence"), ("name: supp", "answers")):
            place = editor.at("support.yaml", SUPPORT, after)
            asked = types.RenameParams(**place, new_name=name)
            found = await editor.client.text_document_rename_async(asked)
            written |= {
                (Path(uri).name, name): sorted(
                    (each.range.start.line, each.new_text) for each in edits
                )
                for uri, edits in found.changes.items()
            }
        return written

    assert edit(work) == {
        ("support.yaml", "evidence"): [(10, "evidence"), (11, "evidence")],
        ("kb.yaml", "evidence"): [(1, "evidence")],
        ("support.yaml", "answers"): [(1, "answers")],
        ("support.test.yaml", "answers"): [
            (TEST.splitlines().index("  - context: support"), "answers")
        ],
    }


@pytest.mark.parametrize(
    ("name", "said"), [("handbook: x", "this cannot be a name"), ("support", "declared already")]
)
def test_a_name_that_would_break_the_project_is_refused(edit: Edit, name: str, said: str) -> None:
    async def work(editor: Editor) -> str:
        await editor.open("support.yaml")
        place = editor.at("support.yaml", SUPPORT, "context, name: k")
        asked = types.RenameParams(**place, new_name=name)
        with pytest.raises(JsonRpcException) as raised:
            await editor.client.text_document_rename_async(asked)
        return str(raised.value)

    assert said in edit(work)


def test_a_safe_fix_is_an_action_and_a_context_can_be_looked_at(edit: Edit) -> None:
    async def work(editor: Editor) -> tuple[list[str], str]:
        text = SUPPORT.replace("default_ratio: 0.5", "default_ratio: 0.5, default_max_tokens: null")
        found = await editor.open("support.yaml", text)
        whole = types.Range(types.Position(0, 0), types.Position(40, 0))
        asked = types.CodeActionParams(
            editor.document("support.yaml"), whole, types.CodeActionContext(found)
        )
        actions = await editor.client.text_document_code_action_async(asked)
        lens = types.CodeLensParams(editor.document("support.yaml"))
        (lens_found,) = await editor.client.text_document_code_lens_async(lens)
        command = lens_found.command
        page = await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command.command, command.arguments)
        )
        return [each.title for each in actions], page

    actions, page = edit(work)
    assert actions == [] or actions[0].startswith("Fix BC")
    assert "Goods may be sent back." in Path(page.removeprefix("file://")).read_text()
