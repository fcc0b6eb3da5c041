"""Two bubbles of different roles at once, and a window that answers their asks.

The gateway is `cerco up`, started at a terminal as a person does; the window speaks the
page's HTTP and WebSocket; the bubbles are driven by the official MCP client in a process
of its own (bubbles.py), because a host's own processes are not taken for a person.
"""

import http.client
import json
import os
import pty
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from websockets.sync.client import connect

CERCO = sys.argv[1]
HERE = Path(__file__).parent
PATIENCE = 60


def check(what, holds, seen=None):
    print(("ok    " if holds else "FAILS ") + what, flush=True)
    assert holds, f"{what}: {seen!r}"


def until(what, holds, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.05)


def at_a_terminal(args, env, cwd):
    """What a command prints at a terminal of its own, and its exit code."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(CERCO, [CERCO, *args], env)
    shown = b""
    try:
        while piece := os.read(screen, 4096):
            shown += piece
    except OSError:
        pass  # how a terminal says that nobody is left on its other side
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(screen)
    return shown.decode(), code


class Page:
    """A signed-in page: its session, and any number of windows."""

    def __init__(self, link):
        address, code = link.split("/#c=")
        self.origin, self.port = address, int(address.rsplit(":", 1)[1])
        self.cookie, self.key = None, None
        headers, body = self.send("POST", "/api/session", {"code": code})
        self.cookie, self.key = headers["set-cookie"].split(";")[0], body["key"]

    def send(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"origin": self.origin, "content-type": "application/json", "sec-fetch-site": "same-origin"}
        if self.cookie:
            headers |= {"cookie": self.cookie, "x-cerco-page": self.key}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (method, path, answer.status, text)
        return answer.headers, json.loads(text) if text else None

    def state(self):
        return self.send("GET", "/api/state")[1]


class Window:
    def __init__(self, page):
        self.page, self.events = page, queue.Queue()
        self.socket = connect(f"ws://127.0.0.1:{page.port}/api/events", origin=page.origin,
                              additional_headers={"cookie": page.cookie})
        self.say({"type": "hello", "key": page.key})
        threading.Thread(target=self.listen, daemon=True).start()
        self.id = self.event("welcome")["window"]
        self.beating = True
        threading.Thread(target=self.beat, daemon=True).start()

    def say(self, message):
        self.socket.send(json.dumps(message))

    def listen(self):
        try:
            for text in self.socket:
                self.events.put(json.loads(text))
        except Exception:
            pass  # the window was closed

    def beat(self):
        while self.beating:
            try:
                self.say({"type": "beat"})
            except Exception:
                return
            time.sleep(3)

    def event(self, kind):
        end = time.monotonic() + PATIENCE
        while True:
            event = self.events.get(timeout=max(0.01, end - time.monotonic()))
            if event["type"] == kind:
                return event

    def ask(self):
        """The next ask, read as a person reads."""
        card = self.event("ask")["card"]
        self.say({"type": "shown", "asks": [card["id"]]})
        time.sleep(0.7)
        return card

    def answer(self, card, answer, **more):
        body = {"answer": answer, "window": self.id} | more
        result = self.page.send("POST", f"/api/asks/{card['id']}/answer", body)[1]
        while result["result"] == "too_fast":
            time.sleep(result["retry_in_ms"] / 1000 + 0.1)
            result = self.page.send("POST", f"/api/asks/{card['id']}/answer", body)[1]
        return result

    def close(self):
        self.beating = False
        self.socket.close()


class Host:
    """The MCP client's process."""

    def __init__(self, project, env):
        self.process = subprocess.Popen([sys.executable, HERE / "bubbles.py", CERCO, str(project)], env=env,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=project)
        assert json.loads(self.process.stdout.readline()) == {"ready": True}
        self.last, self.said, self.answers = 0, {}, {}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            line = json.loads(line)
            if "progress" in line:
                self.said.setdefault(line["id"], []).append(line["progress"])
            else:
                self.answers[line["id"]] = line

    def say(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def start(self, bubble, command):
        self.last += 1
        self.say({"id": self.last, "bubble": bubble, "command": command})
        return self.last

    def answer(self, id):
        until(f"call {id} ends", lambda: id in self.answers or self.process.poll() is not None)
        return self.answers[id]

    def run(self, bubble, command):
        return self.answer(self.start(bubble, command))["answer"]


def world():
    top = Path(tempfile.mkdtemp(prefix="cerco-e2e-")).resolve()
    project, home = top / "project", top / "home"
    for loop in "ab":
        (project / "loops" / loop).mkdir(parents=True)
    (home / ".config/cerco").mkdir(parents=True, mode=0o700)
    os.chmod(home / ".config/cerco", 0o700)
    (home / ".config/cerco/config.toml").write_text("ask_seconds = 10\n")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "CERCO_", "GIT_"))} | {"HOME": str(home)}
    subprocess.run([CERCO, "init", "--project", project, "--loop", "loops/a", "--loop", "loops/b"],
                   env=env, check=True, stdout=subprocess.DEVNULL)
    for loop in "ab":
        subprocess.run("git init -q && git config user.email a@b && git config user.name n", shell=True, check=True,
                       cwd=project / "loops" / loop, env=env)
    return project, env


COMMIT = "git commit -q --allow-empty -m x"


def asks_and_answers(host, page, window, project):
    def commits(loop):
        log = subprocess.run(["git", "rev-list", "--all", "--count"], cwd=project / "loops" / loop,
                             capture_output=True, text=True, check=True)
        return int(log.stdout)

    both = host.start("coder", COMMIT), host.start("reviewer", COMMIT)
    cards = [window.ask(), window.ask()]
    names = {card["role"]: card for card in cards}
    check("both bubbles ask at once, each by its role", set(names) == {"Coder", "Reviewer"}, cards)
    check("the card has the kind and the command", names["Coder"]["kinds"][0]["kind"] == "git commit"
          and names["Coder"]["text"] == COMMIT, names)
    window.answer(names["Coder"], "allow_once")
    window.answer(names["Reviewer"], "deny", note="not on this branch")
    once, denied = host.answer(both[0]), host.answer(both[1])
    check("Allow once: it ran", not once["error"] and once["answer"]["decision_source"] == "user_temporary"
          and commits("a") == 1, once)
    check("Deny: it did not, and the note arrived", denied["error"] and commits("b") == 0
          and "not on this branch" in json.dumps(denied), denied)

    call = host.start("coder", COMMIT)
    card = window.ask()
    window.answer(card, "allow_always", kinds=["git commit"])
    check("Allow always: it ran", not host.answer(call)["error"] and commits("a") == 2)
    answer = host.run("reviewer", COMMIT)
    check("and the board's other bubble is not asked about that kind",
          answer["decision_source"] == "grant" and commits("b") == 1, answer)

    call = host.start("coder", "git tag v1")
    other = Window(page)
    card = window.ask()
    other_card = next(card for card in page.state()["asks"])
    check("a second window has the same ask", other_card["id"] == card["id"], other_card)
    other.say({"type": "shown", "asks": [card["id"]]})
    time.sleep(0.7)
    first = other.answer(card, "deny")
    late = window.answer(card, "allow_once")
    check("the first answer counts, the second hears so", first["result"] == "settled"
          and late["result"] == "too_late" and late["now"]["window"] == other.id, (first, late))
    check("the other window sees it settle", window.event("ask_settled")["state"]["answer"] == "deny")
    check("the bubble hears deny", host.answer(call)["error"])
    other.close()

    call = host.start("coder", "git tag v2")
    window.ask()
    answer = host.answer(call)["answer"]
    check("nobody answers: refused when the time is up", answer["decision_source"] == "timeout", answer)
    check("meanwhile the host heard where a person answers",
          any("waiting for a person" in said and page.origin in said for said in host.said.get(call, [])), host.said)

    call = host.start("coder", "git tag v3")
    window.ask()
    host.say({"cancel": call})
    check("a cancelled call ends", host.answer(call).get("cancelled"))
    until("its ask is taken back", lambda: page.state()["asks"] == [])

    mark = f"77.{os.getpid()}"
    call = host.start("reviewer", f"sleep {mark}")

    def sleeping():
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cmdline").read_bytes() == f"sleep\0{mark}\0".encode():
                    return True
            except OSError:
                pass
        return False

    until("it runs", sleeping)
    host.say({"cancel": call})
    check("a cancelled run ends", host.answer(call).get("cancelled"))
    until("its process is gone", lambda: not sleeping())


def board_switches(host, page, window):
    board = page.state()["boards"][0]["id"]
    page.send("PUT", f"/api/boards/{board}/full-auto", {"on": True, "typed": board, "window": window.id})
    answer = host.run("coder", "git tag v4")
    check("Full Auto answers every ask", answer["decision_source"] == "full_auto" and answer["exit_code"] == 0, answer)
    answer = host.run("coder", "git push --force")
    check("and no refusal", answer["decision_source"] == "rule" and answer["decision"] == "deny", answer)
    page.send("PUT", f"/api/boards/{board}/full-auto", {"on": False, "typed": None, "window": window.id})
    window.close()
    until("the window is gone", lambda: "windows   0" in subprocess_status())
    answer = host.run("coder", "git tag v5")
    check("no window: refused at once", answer["decision_source"] == "no_window", answer)


def subprocess_status():
    return subprocess.run([CERCO, "status"], env=ENV, capture_output=True, text=True).stdout


project, ENV = world()
screen, code = at_a_terminal(["up", "--no-browser"], ENV, project)
link = re.search(r"http://127\.0\.0\.1:\d+/#c=\S+", screen)
check("cerco up prints a link at a terminal", code == 0 and link, screen)
gateway = int(re.search(r"process (\d+)", subprocess_status())[1])
try:
    page = Page(link[0])
    window = Window(page)
    host = Host(project, ENV)
    until("the bubbles are on the board", lambda: page.state()["boards"]
          and sum(len(loop["bubbles"]) for loop in page.state()["boards"][0]["loops"]) == 2)
    asks_and_answers(host, page, window, project)
    board_switches(host, page, window)
    bubbles = [bubble["name"] for loop in page.state()["boards"][0]["loops"] for bubble in loop["bubbles"]]
    check("each bubble stayed one", len(bubbles) == 2, bubbles)
    sources = {entry["source"] for entry in page.send("GET", "/api/journal?limit=100")[1]["entries"]}
    check("the journal has every way to an answer", sources >= {
        "user_temporary", "user_permanent", "user_reject", "user_abort", "grant", "full_auto", "timeout",
        "no_window", "rule"}, sources)
    host.process.stdin.close()
    check("the host ends well", host.process.wait(timeout=PATIENCE) == 0)
    screen, code = at_a_terminal(["down"], ENV, project)
    check("cerco down ends it", code == 0, screen)
finally:
    try:
        os.kill(gateway, signal.SIGKILL)
    except ProcessLookupError:
        pass
print("all of it holds")
