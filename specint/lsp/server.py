"""The server: what an editor says of its files goes in, answers go out; one analysis at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from specint.errors import SpecintError
from specint.lsp import shown
from specint.lsp.buffer import Judged, Settings, judged
from specint.version import own_version

QUIET_FOR = 0.25
"""Seconds without a key before a buffer is judged again."""


class Server(LanguageServer):
    """Keeps the answer of each open file, and judges a file again when its text has changed and stays for a moment."""

    def __init__(self) -> None:
        super().__init__("specint", own_version())
        self.settings = Settings()
        self.answers: dict[str, tuple[str, Judged | None]] = {}
        self._one_at_a_time = asyncio.Lock()
        self._wanted: dict[str, int] = {}

    async def judge(self, uri: str, after: float) -> None:
        """Judge a buffer and publish what is found; a newer text of it makes this one void."""
        turn = self._wanted[uri] = self._wanted.get(uri, 0) + 1
        await asyncio.sleep(after)
        async with self._one_at_a_time:
            if self._wanted.get(uri) != turn or uri not in self.workspace.text_documents:
                return
            document = self.workspace.get_text_document(uri)
            text, version, path = document.source, document.version, to_fs_path(uri)
            if path is None or not path.endswith(".py"):
                return
            try:
                answer = await asyncio.to_thread(judged, Path(path), text, self.settings)
                found = shown.diagnostics(answer) if answer else []
            except SpecintError as error:
                answer, found = None, [shown.problem(error)]
            if self._wanted.get(uri) == turn:
                self.answers[uri] = (text, answer)
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def forget(self, uri: str) -> None:
        """A file was closed: its findings go."""
        self.answers.pop(uri, None)
        self._wanted.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def answer(self, uri: str) -> Judged | None:
        """The answer for a file as it stands; None while it is being judged."""
        text, answer = self.answers.get(uri, ("", None))
        current = uri in self.workspace.text_documents and self.workspace.get_text_document(uri).source == text
        return answer if current else None


def made() -> Server:
    """A server with its features, ready for `start_io`."""
    server = Server()

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        given = params.initialization_options or {}
        try:
            server.settings = msgspec.convert(msgspec.to_builtins(given, enc_hook=vars), Settings)
        except (msgspec.ValidationError, TypeError) as error:
            server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"specint: initializationOptions: {error}")
            )

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await server.judge(params.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        await server.judge(params.text_document.uri, QUIET_FOR)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        for uri in list(server.answers):  # another file may hold what this one gained
            await server.judge(uri, 0 if uri == params.text_document.uri else QUIET_FOR)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        answer = server.answer(uri)
        text = server.workspace.get_text_document(uri).source
        return shown.actions(answer, uri, text, params.context.diagnostics) if answer else []

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        answer = server.answer(uri)
        lines = server.workspace.get_text_document(uri).lines
        if answer is None or params.position.line >= len(lines):
            return None
        text = shown.hover(answer, lines[params.position.line], params.position.character)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        answer = server.answer(params.text_document.uri)
        return shown.lenses(answer) if answer else []

    return server
