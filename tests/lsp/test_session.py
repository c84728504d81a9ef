"""A real editor session: a client of the protocol opens a model, sees the fault, takes the action, and it is gone."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

pytestmark = pytest.mark.programs

KUMO = "KumoK2ForConditionalGeneration"


class Editor(LanguageClient):
    """An editor with one open file."""

    def __init__(self, path: Path) -> None:
        super().__init__("test", "1")
        self.path, self.uri = path, path.as_uri()
        self.text, self.version = path.read_text(encoding="utf-8"), 1
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.published.put_nowait(params))  # noqa: PLW0108 - it gets attributes

    async def shown(self) -> list[types.Diagnostic]:
        """What is published next about the text as it stands."""
        while True:
            params = await asyncio.wait_for(self.published.get(), 120)
            if params.version in (None, self.version):
                return list(params.diagnostics)

    def typed(self, text: str) -> None:
        """Replace the whole text, as an editor may."""
        self.text, self.version = text, self.version + 1
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def applied(self, edits: list[types.TextEdit]) -> str:
        """The text after edits that don't overlap, each counted in the text before."""
        lines = self.text.splitlines(keepends=True)
        offset = lambda at: sum(map(len, lines[: at.line])) + at.character  # noqa: E731
        text = self.text
        for edit in sorted(edits, key=lambda one: offset(one.range.start), reverse=True):
            text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
        return text


@asynccontextmanager
async def editing(path: Path, tmp_path: Path) -> AsyncIterator[Editor]:
    editor = Editor(path)
    await editor.start_io(sys.executable, "-m", "specint", "lsp")
    options = {"cacheDir": str(tmp_path / "cache")}
    await editor.initialize_async(
        types.InitializeParams(types.ClientCapabilities(), initialization_options=options, root_uri=tmp_path.as_uri())
    )
    editor.initialized(types.InitializedParams())
    editor.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(editor.uri, "python", 1, editor.text))
    )
    try:
        yield editor
    finally:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()


@pytest.fixture
def tree(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> Path:
    return Path(shutil.copytree(fixture_tree("sglang_small") / "sglang", tmp_path / "sglang"))


def codes(found: list[types.Diagnostic]) -> list[object]:
    return sorted({one.code for one in found}, key=str)


def test_fault_is_seen_fixed_and_gone(tree: Path, tmp_path: Path) -> None:
    async def session() -> None:
        async with editing(tree / "srt/models/kumo_k2.py", tmp_path) as editor:
            found = await editor.shown()
            assert codes(found) == ["E7701"]
            line = editor.text.splitlines()[found[0].range.start.line]
            assert line[found[0].range.start.character : found[0].range.end.character] == KUMO
            assert any("speculative" in (one.location.uri) for one in found[0].related_information or ())
            actions = await editor.text_document_code_action_async(
                types.CodeActionParams(
                    types.TextDocumentIdentifier(editor.uri), found[0].range, types.CodeActionContext(found)
                )
            )
            whole = next(one for one in actions or () if isinstance(one, types.CodeAction) and one.is_preferred)
            assert whole.title.startswith(f"all that is safe in {KUMO}: ")
            editor.typed(editor.applied(list(whole.edit.changes[editor.uri])))
            assert await editor.shown() == []
            assert "    def get_embed_and_head(self):" in editor.text
            compile(editor.text, "kumo_k2.py", "exec")

    asyncio.run(session())


def test_fault_that_is_typed_is_seen_and_other_keys_are_answered_once(tree: Path, tmp_path: Path) -> None:
    async def session() -> None:
        async with editing(tree / "srt/models/oak.py", tmp_path) as editor:
            assert await editor.shown() == []
            whole = editor.text
            start = whole.index("    def get_embed_and_head")
            end = whole.index("    def ", start + 10)
            for cut in (start + 30, start + 10):
                editor.typed(whole[:cut])
            editor.typed(whole[:start] + whole[end:])
            found = await editor.shown()
            assert found
            assert "get_embed_and_head" in found[0].message
            assert editor.published.empty(), "what was typed on the way was never judged"

    asyncio.run(session())


def test_hover_tells_who_asks_and_how_far_a_class_is(tree: Path, tmp_path: Path) -> None:
    async def session() -> None:
        async with editing(tree / "srt/models/oak.py", tmp_path) as editor:
            await editor.shown()

            async def over(word: str) -> str:
                row = next(number for number, line in enumerate(editor.text.splitlines()) if word in line)
                at = types.Position(row, editor.text.splitlines()[row].index(word) + 2)
                told = await editor.text_document_hover_async(
                    types.HoverParams(types.TextDocumentIdentifier(editor.uri), at)
                )
                return told.contents.value if told else ""  # type: ignore[union-attr]

            assert "is asked of models" in await over("get_embed_and_head")
            assert "EAGLE3 ✓ ok" in await over("OakForCausalLM")
            assert await over("import") == ""

    asyncio.run(session())


def test_lens_stands_above_each_registered_class(tree: Path, tmp_path: Path) -> None:
    async def session() -> None:
        async with editing(tree / "srt/models/kumo_k2.py", tmp_path) as editor:
            await editor.shown()
            lenses = await editor.text_document_code_lens_async(
                types.CodeLensParams(types.TextDocumentIdentifier(editor.uri))
            )
            assert [editor.text.splitlines()[one.range.start.line].partition("(")[0] for one in lenses] == [
                f"class {KUMO}"
            ]
            assert "EAGLE3 » one step" in lenses[0].command.title

    asyncio.run(session())


def test_text_that_does_not_parse_is_said_and_forgiven(tree: Path, tmp_path: Path) -> None:
    async def session() -> None:
        async with editing(tree / "srt/models/oak.py", tmp_path) as editor:
            whole = editor.text
            await editor.shown()
            editor.typed(whole + "\ndef broken(:\n")
            await editor.shown()  # whatever is said, nothing ends
            editor.typed(whole)
            assert await editor.shown() == []

    asyncio.run(session())


def test_broken_configuration_is_told_in_the_file(tree: Path, tmp_path: Path) -> None:
    (tree / "pyproject.toml").write_text("[tool.specint]\nsgnlag = '1'\n")

    async def session() -> None:
        async with editing(tree / "srt/models/oak.py", tmp_path) as editor:
            found = await editor.shown()
            assert "unknown key" in found[0].message

    asyncio.run(session())


def test_file_without_an_sglang_has_no_findings(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x = 1\n")

    async def session() -> None:
        async with editing(other, tmp_path) as editor:
            found = await editor.shown()
            assert [one.source for one in found] in ([], ["specint"])

    asyncio.run(session())
