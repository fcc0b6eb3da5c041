"""The host of two bubbles: the official MCP client, told what to call by JSON lines.

In: {"id", "bubble", "command"} runs a command there, {"cancel": id} cancels that call.
Out: {"id", "error", "answer"}; {"id", "progress"} meanwhile; {"id", "cancelled"} at its end.
"""

import json
import os
import sys
from contextlib import AsyncExitStack

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

CERCO, PROJECT = sys.argv[1:]
BUBBLES = {"coder": ("loops/a", "Coder"), "reviewer": ("loops/b", "Reviewer")}


def say(line):
    print(json.dumps(line), flush=True)


async def run(session, id, command, scopes):
    async def progress(value, total, message):
        say({"id": id, "progress": message})

    with anyio.CancelScope() as scopes[id]:
        result = await session.call_tool("run_command", {"command": command}, progress_callback=progress)
        say({"id": id, "error": bool(result.is_error), "answer": result.structured_content})
        return
    say({"id": id, "cancelled": True})


async def main():
    async with AsyncExitStack() as stack:
        sessions, scopes = {}, {}
        for name, (loop, role) in BUBBLES.items():
            server = StdioServerParameters(
                command=CERCO,
                args=["mcp", "--project", PROJECT, "--loop", loop, "--role", role],
                env=dict(os.environ),
                cwd=PROJECT,
            )
            read, write = await stack.enter_async_context(stdio_client(server))
            sessions[name] = await stack.enter_async_context(ClientSession(read, write))
            await sessions[name].initialize()
        say({"ready": True})
        async with anyio.create_task_group() as group:
            async for line in anyio.wrap_file(sys.stdin):
                told = json.loads(line)
                if "cancel" in told:
                    scopes[told["cancel"]].cancel()
                else:
                    group.start_soon(run, sessions[told["bubble"]], told["id"], told["command"], scopes)


anyio.run(main)
