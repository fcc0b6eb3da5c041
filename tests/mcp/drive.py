"""Two bubbles of different roles at once, driven by the official MCP client.

Each check prints a line; the first one that fails ends the run with a traceback.
Everything happens in a folder of its own, with a home of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from mcp import Client, ClientSession, StdioServerParameters, stdio_client

CERCO = sys.argv[1]
LOOT = "LOOT-OF-ANOTHER-FOLDER"


def check(what, holds, seen=None):
    print(("ok    " if holds else "FAILS ") + what, flush=True)
    assert holds, f"{what}: {seen!r}"


def world():
    top = Path(tempfile.mkdtemp(prefix="cerco-mcp-")).resolve()
    project = top / "project"
    for path, text in [
        ("outside.txt", LOOT),
        ("loops/a/hello.txt", "one\ntwo\n"),
        ("loops/a/.env", "KEY=" + LOOT),
        ("loops/b/theirs.txt", "theirs\n"),
    ]:
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (project / "loops/a/way").symlink_to("../../outside.txt")
    home = top / "home"
    home.mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "CERCO_"))} | {"HOME": str(home)}
    subprocess.run([CERCO, "init", "--project", project, "--loop", "loops/a", "--loop", "loops/b"],
                   env=env, check=True, stdout=subprocess.DEVNULL)
    return project, env


@asynccontextmanager
async def bubble(project, env, loop, role):
    server = StdioServerParameters(
        command=CERCO,
        args=["mcp", "--project", str(project), "--loop", loop, "--role", role],
        env=env,
        cwd=str(project),
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    structured = result.structured_content
    # The same JSON as text, for hosts that don't read structured content.
    check(f"{tool}: text and structured content agree", json.loads(result.content[0].text) == structured)
    return result.is_error, structured


def running(mark):
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "cmdline").read_bytes().decode(errors="replace").split("\0"):
                found.append(process.name)
        except OSError:
            pass
    return found


async def until(what, seconds=30):
    """Waits for something that a busy machine takes long for."""
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        await anyio.sleep(0.05)
    return what()


async def roles(coder, reviewer, researcher):
    names = {}
    for name, session in [("Coder", coder), ("Reviewer", reviewer), ("Researcher", researcher)]:
        tools = (await session.list_tools()).tools
        names[name] = [tool.name for tool in tools]
        again = [tool.name for tool in (await session.list_tools()).tools]
        check(f"{name}: the list has one order", names[name] == again)
    commands = ["check_command", "run_command", "read_output", "list_asks_mine", "say"]
    reading = ["list_files", "read_file", "search_files"]
    writing = ["write_file", "edit_file", "move_file", "delete_file"]
    check("tools by role", names == {
        "Coder": commands + reading + writing,
        "Reviewer": commands + reading,
        "Researcher": ["say"] + reading,
    }, names)
    for session, role, tool, arguments, lacks in [
        (researcher, "Researcher", "run_command", {"command": "ls"}, "run_commands"),
        (researcher, "Researcher", "write_file", {"path": "x", "content": ""}, "write_files"),
        (reviewer, "Reviewer", "delete_file", {"path": "theirs.txt"}, "write_files"),
    ]:
        error, answer = await call(session, tool, **arguments)
        said = answer["error"]["reason"]
        check(f"{role} lacks {lacks}", error and role in said and lacks in said and answer["error"]["remedy"], answer)


async def commands(coder, reviewer):
    error, answer = await call(coder, "run_command", command="echo hi; echo no >&2; exit 3")
    check("allowed and run", not error and answer["exit_code"] == 3
          and answer["stdout"] == "hi\n" and answer["stderr"] == "no\n", answer)
    error, answer = await call(coder, "check_command", command="bash -c ls")
    check("judged only", not error and answer["verdict"] == "refused", answer)
    error, answer = await call(coder, "run_command", command="bash -c 'touch ran'")
    check("refused with a remedy", error and answer["decision"] == "deny"
          and answer["error"]["reason"] and answer["error"]["remedy"] and not answer["ran"], answer)
    error, answer = await call(coder, "run_command", command="git commit -m x")
    check("asked, and no window is open", error and answer["decision_source"] == "no_window"
          and "window" in answer["error"]["reason"], answer)
    _, asks = await call(coder, "list_asks_mine")
    check("the ask is listed to its own bubble",
          [(a["command"], a["state"]) for a in asks["asks"]] == [("git commit -m x", "no_window")], asks)
    _, asks = await call(reviewer, "list_asks_mine")
    check("and to no other", asks["asks"] == [], asks)
    error, answer = await call(coder, "run_command", command="seq 1 40000")
    check("a long output is shown in part", answer["truncated"] and len(answer["stdout"]) < 70_000, len(answer["stdout"]))
    whole, offset = "", 0
    while offset is not None:
        error, piece = await call(coder, "read_output", entry_id=answer["entry_id"], stream="stdout", offset=offset)
        whole, offset = whole + piece["text"], piece["next_offset"]
    check("and read to its end", whole == "".join(f"{n}\n" for n in range(1, 40001)), len(whole))
    for arguments in [{}, {"command": 7}, {"command": "ls", "sandbox": False}, {"command": "ls", "folder": "../.."}]:
        error, answer = await call(coder, "run_command", **arguments)
        check(f"arguments that can't be used: {arguments}", error and answer["error"]["remedy"], answer)
    try:
        await coder.call_tool("answer_ask", {"ask": 1})
        check("no tool answers an ask", False)
    except Exception as error:  # the client's own error type is not what is tested
        check("no tool answers an ask", "answer_ask" in str(error), error)


async def files(coder, reviewer, project):
    error, answer = await call(coder, "write_file", path="src/new.txt", content="alpha\n")
    check("a file is written", not error and answer["created"]
          and (project / "loops/a/src/new.txt").read_text() == "alpha\n", answer)
    error, answer = await call(coder, "edit_file", path="src/new.txt", edits=[{"old": "alpha", "new": "beta"}])
    check("and edited", not error and answer["replaced"] == [1], answer)
    error, answer = await call(coder, "edit_file", path="src/new.txt", edits=[{"old": "alpha", "new": "x"}])
    check("an edit of what isn't there", error and answer["error"]["code"] == "occurs", answer)
    error, answer = await call(coder, "search_files", regex="^b.ta$")
    check("and found", [hit["path"] for hit in answer["hits"]] == ["src/new.txt"], answer)
    error, answer = await call(coder, "move_file", **{"from": "src/new.txt", "to": "src/old.txt"})
    check("and moved", not error, answer)
    error, answer = await call(coder, "delete_file", path="src", recursive=True)
    check("and deleted", not error and answer["entries"] == 2 and not (project / "loops/a/src").exists(), answer)
    error, answer = await call(reviewer, "read_file", path="theirs.txt")
    check("the other bubble reads its own", answer["text"] == "theirs\n", answer)
    for path, code in [
        ("../../outside.txt", "bad_path"),
        (str(project / "outside.txt"), "bad_path"),
        ("way", "outside"),
        (".env", "secret"),
        ("../b/theirs.txt", "bad_path"),
        ("~/x", "bad_path"),
    ]:
        error, answer = await call(coder, "read_file", path=path)
        check(f"no way out: read {path}", error and answer["error"]["code"] == code
              and LOOT not in json.dumps(answer), answer)
    error, answer = await call(coder, "write_file", path="way", content="PLANTED")
    check("no way out: write through a link", error and (project / "outside.txt").read_text() == LOOT, answer)
    error, answer = await call(coder, "write_file", path=".git/hooks/pre-commit", content="#!/bin/sh\n")
    check("no git hook is planted", error and answer["error"]["code"] == "git", answer)
    error, answer = await call(coder, "search_files", text=LOOT)
    check("a search finds no loot", answer["hits"] == [], answer)


async def long_ones(coder, reviewer):
    seen = []

    async def progress(value, total, message):
        seen.append((value, message))

    began = time.monotonic()
    both = []

    async def one(session, seconds):
        result = await session.call_tool("run_command", {"command": f"sleep {seconds}"}, progress_callback=progress)
        both.append(result.is_error)

    async with anyio.create_task_group() as group:
        group.start_soon(one, coder, "11.5")
        group.start_soon(one, reviewer, "11.25")
    values = [value for value, _ in seen]
    check("progress comes every five seconds and grows", len(seen) >= 4 and len(set(values)) > 1, seen)
    check("it says what goes on", all("running" in (message or "") for _, message in seen), seen)
    check("two bubbles run at once", both == [False, False] and time.monotonic() - began < 11.5 + 11.25, both)

    async def to_cancel():
        await coder.call_tool("run_command", {"command": "sleep 97.125 & sleep 97.25"})
        check("the call was cancelled", False)

    async with anyio.create_task_group() as group:
        group.start_soon(to_cancel)
        check("it runs before it is cancelled", await until(lambda: running("97.125") and running("97.25")))
        group.cancel_scope.cancel()
    check("a cancelled run leaves no process", await until(lambda: not running("97.125") + running("97.25")))
    error, answer = await call(coder, "run_command", command="echo still here")
    check("the server goes on", not error and answer["stdout"] == "still here\n", answer)


async def main():
    project, env = world()
    async with bubble(project, env, "loops/a", "Coder") as coder, \
            bubble(project, env, "loops/b", "Reviewer") as reviewer, \
            bubble(project, env, "loops/a", "Researcher") as researcher:
        await roles(coder, reviewer, researcher)
        await commands(coder, reviewer)
        await files(coder, reviewer, project)
        await long_ones(coder, reviewer)

    newest = StdioServerParameters(command=CERCO, args=["mcp", "--project", str(project), "--loop", "loops/a"],
                                   env=env, cwd=str(project))
    async with Client(newest) as client:
        check("the stateless revision is spoken, too", client.protocol_version == "2026-07-28", client.protocol_version)
        result = await client.call_tool("run_command", {"command": "echo hi"})
        check("and runs commands", result.structured_content["stdout"] == "hi\n", result)

    async with bubble(project, env, "loops/a", "Coder") as coder:
        async def left_alone():
            await coder.call_tool("run_command", {"command": "sleep 96.125"})
        async with anyio.create_task_group() as group:
            group.start_soon(left_alone)
            check("it runs before the client goes", await until(lambda: running("96.125")))
            group.cancel_scope.cancel()
    check("a client that goes away leaves no process", await until(lambda: not running("96.125")))

    journal = subprocess.run([CERCO, "log", "--json", "-n", "200"], env=env, cwd=project / "loops/a",
                             capture_output=True, text=True, check=True).stdout
    for text in ["bash -c", "read_file .env", "write_file way", '"decision_source":"tools"']:
        check(f"what was refused is in the journal: {text}", text in journal.replace('": "', '":"'), journal)
    print("all of it holds")


anyio.run(main)
