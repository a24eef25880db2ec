"""Texts of files, commands and models that want to be more than texts."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fakellm import FakeServer, Scripted, ToolUse, Turn
from service.project_kit import environment, make_project, novacore, sessions_folder, user_config
from service.turns_kit import state_files

SECRETS = {
    name: "sk-ant-api03-" + "9fK2" * 4 + name.upper() + "9fK2" * 9
    for name in (
        "user", "command", "plain", "split", "coloured", "struck", "wide", "large", "error",
        "file", "logged", "name", "plan", "write", "edit", "job", "find",
    )
}  # fmt: skip
PRINTS = """
plain, split, coloured, struck, wide = bytes.fromhex("{values}").decode().split()
print("plain", plain)
print("split", split[:20] + "\\x1b[31m" + split[20:])
print("coloured \\x1b[32m" + coloured + "\\x1b[0m")
print("struck", "".join(c + "\\b" + c for c in struck))
print("wide", wide[:20] + "\\u200b" + wide[20:])
"""
FILLS = """
key = bytes.fromhex("{value}").decode()
print("filler " * 6 + "\\n", end="", flush=True)
for n in range(60_000): print("line %05d in good order, nothing to see here at all" % n)
print("key", key[:20] + "\\x1b[1m" + key[20:])
for n in range(60_000): print("line %05d in good order, nothing to see here at all" % n)
"""


def hexed(*words):
    return " ".join(words).encode().hex()


def calls():
    """Every way by which a secret may come in."""
    told = SECRETS

    def edit(request):
        (text,) = request.tool_results.values()
        version = re.search(r"version ([0-9a-f]{16})", text)[1]
        change = {"old": "net(price, count) + rate", "new": f"'{told['edit']}'"}
        return Turn.call("edit", path="calc.py", version=version, edits=[change])

    return [
        Turn.call("run", command=f"echo {told['command']}"),
        Turn.call("run", command="python prints.py"),
        Turn.call("run", command="python fills.py"),
        Turn.call("run", command="python fails.py"),
        Turn((ToolUse("read", {"path": "a.log"}), ToolUse("search", {"pattern": "sk-|log"}))),
        Turn.call("glob", pattern="*"),
        Turn.call("read", path=f"f-{told['name']}.txt"),
        Turn.call("plan", items=[{"text": f"use {told['plan']}", "status": "doing"}]),
        Turn.call("write", path="w.txt", content=f"key = {told['write']}\n"),
        Turn.call("read", path="calc.py"),
        edit,
        Turn.call("run", command=f"echo {told['job']}", background=True),
        Turn.call("run", job="job-1"),
        Turn.call("find", name=told["find"]),
        Turn.say("Done."),
    ]


@pytest.fixture
def secretive(tmp_path, monkeypatch):
    """What was sent and written in a session that is full of secrets."""
    project = make_project(tmp_path / "project")
    told = SECRETS
    names = ("plain", "split", "coloured", "struck", "wide")
    (project / "prints.py").write_text(PRINTS.format(values=hexed(*(told[n] for n in names))))
    (project / "fills.py").write_text(FILLS.format(value=hexed(told["large"])))
    (project / "fails.py").write_text(f"raise SystemExit('bad key {told['error']}')\n")
    (project / "a.log").write_text(f"log {told['file']}\nlog \x1b[32m{told['logged']}\x1b[0m\n")
    (project / f"f-{told['name']}.txt").write_text("x\n")
    user_config('[permissions]\nallow = ["python *", "echo *"]\n')
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with FakeServer(Scripted(calls())) as fake:
        done = novacore(
            "ask", f"My key is {told['user']}.", "--yes", cwd=project,
            env=environment(fake.url, **env),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert len(fake.requests) == 15
        sent = json.dumps([request.body for request in fake.requests], ensure_ascii=False)
    written = [p.read_bytes().decode("utf-8", "replace") for p in state_files() if p.is_file()]
    return [sent, *written, *(str(path) for path in state_files())]


def test_no_secret_is_sent_or_written_down_in_any_disguise(secretive):
    unseen = re.compile(r"\x1b\[[0-9;]*m|\\u001b\[[0-9;]*m|\u200b|\\u200b|.\x08|.\\b(?=.)")
    assert sum(text.count("[secret:") for text in secretive) > 30
    for text in secretive:
        plain = unseen.sub("", text)
        for name, secret in SECRETS.items():
            assert secret not in text, name
            assert secret[20:] not in plain, name


MARKUP = (
    "\"><script>alert(1)</script><img src=x onerror=alert(2)>'</style></title>--><svg/onload=x>"
)
SPOOF = "ls\x1b[2K\x1b[1A\u202e\u2066\u200b\u3164\n\n\r echo ok\t# done"


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]


def test_the_page_holds_hostile_texts_as_texts(tmp_path):
    project = make_project(tmp_path / "project")
    name = '"><img src=x onerror=alert(3)>.py'
    (project / name).write_text(f"x = 1  # {MARKUP}\n")
    (project / "AGENTS.md").write_text(f"{MARKUP} \u202e\x1b[31m 规则\n")
    turns = [
        Turn.call("read", MARKUP, path=name),
        Turn.call("plan", items=[{"text": MARKUP, "status": "doing"}]),
        Turn.say(MARKUP),
    ]
    with FakeServer(Scripted(turns)) as fake:
        env = environment(fake.url)
        words = ("ask", f"{MARKUP} 在哪里？", "--model", 'anthropic/<b onclick=x>"')
        assert novacore(*words, cwd=project, env=env).returncode == 0
    html = tmp_path / "page.html"
    assert novacore("context", "--html", html, cwd=project).returncode == 0
    text = html.read_text()
    page = Page(text)
    assert page.tags.isdisjoint({"script", "img", "iframe", "object", "link", "form", "base", "b>"})
    assert "&lt;script&gt;" in text
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("src", "srcset", "action"), (tag, name)
        assert name != "href" or value.startswith(("file:///", "#")), value
        assert "url(" not in value or name != "style"
    assert ("meta", "content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("width", ["100", "0"])
def test_a_permission_card_shows_what_would_hide(tmp_path, width):
    project = make_project(tmp_path / "project")
    path = "a\u202e/b\n+c\x1b[31m.py"
    turns = [
        Turn.call("run", command=SPOOF),
        Turn.call("write", path=path, content="x\x1b[2J\u200b\n"),
        Turn.say("Done."),
    ]
    with FakeServer(Scripted(turns)) as fake:
        env = environment(fake.url, COLUMNS=width, TERM="xterm-256color", NO_COLOR="1")
        shown = answered(["ask", "Do it."], project, env, ["r no\n", "r no\n"])
    assert "ls\\x1b[2K\\x1b[1A\\u202e\\u2066\\u200b\\u3164" in shown
    assert "\\x0d echo ok" in shown
    assert "Create a\\u202e/b\\n+c\\x1b[31m.py (+1 -0)" in shown
    assert "+++ b/a\\u202e/b\\n+c\\x1b[31m.py" in shown
    assert "+x\\x1b[2J\\u200b" in shown
    assert not re.search("[\u200b\u202a-\u202e\u2066-\u2069]", shown)
    (log,) = sessions_folder().glob("*/events.jsonl")
    assert '"rejected"' in log.read_text()


def answered(words, cwd, env, answers):
    """Everything that a person saw who gave ``answers`` to the questions."""
    master, slave = pty.openpty()
    command = [sys.executable, "-P", "-m", "novacore", *words]
    shown, asked = "", 0
    with subprocess.Popen(
        command, cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    ):
        os.close(slave)
        with contextlib.suppress(OSError):
            while data := os.read(master, 65_536):
                shown += data.decode("utf-8", "replace")
                if shown.count("REASON: ") > asked:
                    os.write(master, answers[asked].encode())
                    asked += 1
        os.close(master)
    assert asked == len(answers), shown
    return shown
