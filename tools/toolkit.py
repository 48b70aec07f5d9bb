"""The tools of a running app: what all chats share, and each chat's own. Knows no page and no agent."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tools import TOOL_NAMES, Belongings, Services, ToolConfig, build_tools
from tools.base import OPEN_GATE, Tool
from tools.cards import SourceCard
from tools.consent import Ask, ConsentPolicy
from tools.consent_request import Setting
from tools.intake import Intake
from tools.mcp_servers import McpServers
from tools.mcp_servers.config import ServerConfig
from tools.sandbox import Sandbox, user_for
from tools.sandbox.disk import remove_folder
from tools.sources import SourceList
from tools.workspace import Workspace
from tools.written_addresses import WrittenAddresses

_CHAT_ID = re.compile(r"[0-9a-fA-F-]{36}")
_OF_OUR_OWN_WORDS = frozenset({"calculate", "write_file"})
"""Tools whose results hold nothing by strangers."""


class Toolkit:
    """One for the app. Chats keep their files below `chats_folder`, each in a folder of its own."""

    def __init__(
        self, config: ToolConfig, *, chats_folder: Path, may_run_code: bool, mcp_servers: Mapping[str, ServerConfig]
    ) -> None:
        self._services = Services(config)
        self._chats_folder = chats_folder
        self.sandbox = Sandbox() if may_run_code else Sandbox(modes=())
        self.mcp = McpServers(mcp_servers, timeout_s=config.timeout_s)

    async def start(self) -> None:
        """Find out how code can be confined here, and begin to connect to the MCP servers."""
        await self.mcp.start()
        await self.sandbox.probe()

    async def close(self) -> None:
        """End everything that was started."""
        await self.mcp.close()
        await self.sandbox.close()

    def tools_to_describe(self) -> list[Tool]:
        """The tools as chats have them, for whoever has to know of them before there is a chat. Not to be called."""
        nowhere = Workspace(self._chats_folder)
        own = Belongings(
            gate=OPEN_GATE, sources=SourceList(), written=WrittenAddresses(), workspace=nowhere, python=None
        )
        return build_tools(self._services, own)

    def of_chat(
        self, chat_id: str, ask: Ask, *, sources: Iterable[SourceCard] = (), used: Iterable[str] = ()
    ) -> "ChatTools":
        """The tools of a chat, which ask its person by `ask`. Nothing is made on disk yet.

        Of a stored chat: the `sources` that its tools gave, and the names of those that were `used`.
        """
        tools = ChatTools(self, self._services, self._chats_folder / chat_id, SourceList(sources), ConsentPolicy(ask))
        for name in used:
            tools.note_use(name)
        return tools


class ChatTools:
    """One chat's tools. `intake` takes the files that come with messages."""

    def __init__(
        self, toolkit: Toolkit, services: Services, folder: Path, sources: SourceList, policy: ConsentPolicy
    ) -> None:
        self._toolkit = toolkit
        self._services = services
        self._policy = policy
        self._sources = sources
        self._written = WrittenAddresses()
        self._workspace = Workspace(folder, owner_uid=user_for(folder))
        self._own: Belongings | None = None
        self.intake = Intake(self._workspace)

    def note_question(self, text: str) -> None:
        """The addresses that the person writes may be called without asking them again."""
        self._written.note(text)

    def note_use(self, tool: str) -> None:
        """This tool, or an `upload`, has brought something into the chat before."""
        if tool not in _OF_OUR_OWN_WORDS:
            self._policy.note_strangers_text(tool)

    async def for_turn(self, *, consent: Setting) -> list[Tool]:
        """The tools that there are now: the chat's own, and those of the servers that are connected."""
        self._policy.setting = consent
        self._own = self._own or await self._belongings()
        return [*build_tools(self._services, self._own), *self._toolkit.mcp.tools(self._policy, taken=TOOL_NAMES)]

    async def _belongings(self) -> Belongings:
        confinement = await self._toolkit.sandbox.probe()
        return Belongings(
            gate=self._policy,
            sources=self._sources,
            written=self._written,
            workspace=self._workspace,
            python=self._toolkit.sandbox.session(self._workspace.files_folder) if confinement.mode else None,
        )


def forget_chat(chats_folder: Path, chat_id: str) -> None:
    """Remove all that a chat's tools have kept, whatever its code has made of it. Not for the event loop."""
    if _CHAT_ID.fullmatch(chat_id):
        remove_folder(chats_folder / chat_id)
