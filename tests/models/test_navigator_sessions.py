"""The navigator over small folders: callers, misses, refusals, repeats, and what it must not do."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.navigator_loop import TOOLS, Talk, cited, stream
from novacore import errors
from novacore.models import provider
from novacore.models.navigator import phrases
from novacore.types import Message, ModelRequest, Text, ToolResult, ToolUse

PYTHON = '''\
"""Keeps sessions alive."""


class Session:
    """One session of a user."""

    def renew(self, seconds):
        """Prolong the session. Nothing else."""
        return expiry_of(self, seconds)


def expiry_of(session, seconds):
    """When the session ends."""
    return seconds + 1


def sweep(sessions):
    # Expired ones go.
    return [s for s in sessions if expiry_of(s, 0) > 1]
'''
TYPESCRIPT = """\
import { themeOf } from './theme';

/** Draws the toolbar. */
export class Toolbar {
  paint(name: string): void {
    const theme = themeOf(name);
    this.apply(theme);
  }
}

export const useColours = (name: string) => themeOf(name).colours;
"""
THEME = """\
// Themes by name, the dark one when there is none.
export function themeOf(name: string): Theme {
  return themes.get(name) ?? dark;
}
"""


@pytest.fixture
def project(tmp_path):
    files = {
        "app/sessions.py": PYTHON,
        "web/toolbar.ts": TYPESCRIPT,
        "web/theme.ts": THEME,
        "tests/test_sessions.py": "def test_renew():\n    assert expiry_of(None, 1) == 2\n",
        "README.md": "# Sessions\n\nThis project keeps sessions alive.\n",
    }
    for name, text in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "project"


async def test_callers_come_with_what_encloses_them_and_tests_apart(project):
    answer = await Talk(project).say("What calls expiry_of?")
    assert "`app/sessions.py:12-14` `expiry_of`" in answer
    assert "`app/sessions.py:7-9` `Session/renew`**: uses `expiry_of` in line 9" in answer
    assert "`app/sessions.py:17-19` `sweep`**" in answer
    assert "In tests: `tests/test_sessions.py:2` `test_renew`" in answer


async def test_callers_of_an_everyday_word(project):
    answer = await Talk(project).say("What calls renew?")
    assert "No use of `renew` was found" in answer
    answer = await Talk(project).say("What calls seconds?")
    assert cited(answer)[0] == "app/sessions.py"


async def test_callers_in_typescript(project):
    answer = await Talk(project).say("Where is themeOf used?")
    assert set(cited(answer)) == {"web/toolbar.ts"}
    assert "`Toolbar/paint`**: uses `themeOf` in line 6" in answer
    assert "`useColours`**: uses `themeOf` in line 11" in answer


async def test_what_is(project):
    answer = await Talk(project).say("What is a Toolbar?")
    assert cited(answer)[0] == "web/toolbar.ts"
    answer = await Talk(project).say("How is a session renewed?")
    assert cited(answer)[0] == "app/sessions.py"
    assert "it says: “One session of a user.”" in answer
    assert "Prolong the session" in answer


async def test_the_first_line_says_what_it_is(project):
    first = (await Talk(project).say("How are sessions renewed?")).split("\n")[0]
    assert "not a language model" in first
    assert "does not write" in first
    chinese = (await Talk(project).say("会话怎么恢复?")).split("\n")[0]
    assert "不是语言模型" in chinese


def test_both_languages_say_everything():
    assert phrases.ENGLISH.keys() == phrases.CHINESE.keys()
    for key, words in phrases.ENGLISH.items():
        slots = sorted(re.findall(r"{\w+}", words))
        assert slots == sorted(re.findall(r"{\w+}", phrases.CHINESE[key]))


async def test_a_signature_is_no_comment(project):
    text = "def renew_all(\n    sessions,\n    *,\n    seconds,\n):\n    return sessions\n"
    (project / "app" / "all.py").write_text(text, "utf-8")
    answer = await Talk(project).say("How does renew_all work?")
    assert "`app/all.py:1-6` `renew_all`**: it is what the question names" in answer
    assert "it says: “,”" not in answer


async def test_a_wish_for_a_change_is_declined_with_the_places(project):
    answer = await Talk(project).say("Please rename expiry_of to end_of")
    assert "cannot make the change" in answer.split("\n")[0]
    assert "app/sessions.py" in cited(answer)


async def test_tests_when_they_are_asked_for(project):
    answer = await Talk(project).say("Which tests cover renew?")
    assert cited(answer)[0] == "tests/test_sessions.py"


async def test_a_path_shows_what_it_holds(project):
    answer = await Talk(project).say("What is in app/sessions.py?")
    assert cited(answer) == ["app/sessions.py"]
    assert "`app/sessions.py` holds `Session` (4-9), `expiry_of` (12-14), `sweep` (17-19)" in answer


async def test_a_question_that_names_nothing_gets_the_readme(project):
    answer = await Talk(project).say("What is this project?")
    assert cited(answer) == ["README.md"]
    assert "names nothing to search for" in answer
    assert "keeps sessions alive" in answer


async def test_misses_are_told_as_misses(project):
    answer = await Talk(project).say("Where are sessions zorbled?")
    assert "Not found: *zorbled*" in answer
    answer = await Talk(project).say("Where is the zorbulator?")
    assert cited(answer) == []
    assert "Nothing was found. Searched for: *zorbulator*" in answer


async def test_a_wrong_name_gets_the_nearest(project):
    answer = await Talk(project).say("How does `expiry_off` work?")
    assert "No symbol is called `expiry_off`; the nearest: `app/sessions.py:12-14`" in answer


async def test_a_denied_file_is_named_and_not_asked_for_again(project):
    talk = Talk(project, deny=("app/**",))
    answer = await talk.say("What is in app/sessions.py and how are themes named?")
    assert "PYTHON" not in answer
    assert "app/sessions.py" not in cited(answer)
    assert "web/theme.ts" in cited(answer)


async def test_the_same_question_again_gives_the_same_places(project):
    talk = Talk(project)
    answers = [await talk.say("How is a session renewed?") for _ in range(4)]
    assert len(set(answers)) == 1
    ids = [b.id for m in talk.messages for b in m.blocks if isinstance(b, ToolUse)]
    assert len(ids) == len(set(ids))


async def test_a_changed_file_is_read_again(project):
    talk = Talk(project)
    await talk.say("How does expiry_of work?")
    path = project / "app/sessions.py"
    path.write_text("# moved\n" + PYTHON.replace("seconds + 1", "seconds + 77"), "utf-8")
    answer = await talk.say("How does expiry_of work?")
    assert "`app/sessions.py:13-15` `expiry_of`" in answer
    assert "seconds + 77" in answer


async def test_a_follow_up_keeps_the_subject(project):
    talk = Talk(project)
    await talk.say("How does expiry_of work?")
    assert "tests/test_sessions.py" in cited(await talk.say("and where is it tested?"))


async def test_frames_are_not_the_question(project):
    talk = Talk(project)
    frame = '<memory mark="ab12">\nWhere is the zorbulator?\n</memory mark="ab12">'
    talk.messages.append(Message(role="user", blocks=(Text(text="What calls themeOf?"),)))
    talk.messages.append(Message(role="user", blocks=(Text(text=frame),)))
    blocks, _ = await stream(talk.request())
    assert {block.input.get("name") for block in blocks} & {"themeOf"}


async def test_words_that_join_while_it_works_are_the_new_question(project):
    talk = Talk(project)
    talk.messages.append(Message(role="user", blocks=(Text(text="What calls themeOf?"),)))
    blocks, _ = await stream(talk.request())
    results = [ToolResult(tool_use_id=block.id, text="no match") for block in blocks]
    steer = Text(text="No: what calls expiry_of?")
    talk.messages.append(Message(role="assistant", blocks=tuple(blocks)))
    talk.messages.append(Message(role="user", blocks=(*results, steer)))
    blocks, _ = await stream(talk.request())
    assert any(block.input.get("name") == "expiry_of" for block in blocks)


async def test_without_tools_it_says_so(project):
    answer = await Talk(project, tools={}).say("What calls themeOf?")
    assert "No tool" in answer
    only = await Talk(project, tools={"search": TOOLS["search"]}).say("What calls themeOf?")
    assert "web/toolbar.ts:6" in only


async def test_hostile_files_do_not_break_it(project):
    (project / "big.py").write_text("def session_big():\n" + "    renew = 1\n" * 3_000, "utf-8")
    (project / "long.ts").write_text("const session = '" + "renew " * 60_000 + "';\n", "utf-8")
    (project / "binary.py").write_bytes(b"session renew\0\1\2" * 100)
    (project / "latin.py").write_bytes("# session renewed, déjà\n".encode("latin-1"))
    (project / "fences.md").write_text("```\nrenew the session\n```\n", "utf-8")
    answer = await Talk(project).say("How is the session renewed in docs?")
    assert cited(answer)
    assert max(map(len, answer.split("\n"))) < 2_000


async def test_equal_requests_get_equal_answers_and_estimated_usage(project):
    talk = Talk(project)
    talk.messages.append(Message(role="user", blocks=(Text(text="What calls themeOf?"),)))
    first, done = await stream(talk.request())
    again, _ = await stream(talk.request())
    assert first == again
    assert done.stop_reason == "tool_use"
    assert done.usage.estimated
    assert done.usage.uncached > 100
    assert done.usage.output > 0


async def test_info_knows_one_model():
    navigator = provider("navigator")
    info = await navigator.info("navigator")
    assert (info.window, info.caching, info.provider) == (128_000, False, "navigator")
    with pytest.raises(errors.ModelError, match="navigator"):
        await navigator.info("gpt")
    await navigator.aclose()


@given(st.text(max_size=200))
@settings(max_examples=25, deadline=None)
def test_whatever_is_asked_every_call_is_valid_and_made_once(text):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.py").write_text(PYTHON, "utf-8")
        talk = Talk(Path(folder))
        answer = asyncio.run(talk.say(text or "?"))
    assert answer.strip()
    keys = [(call.name, json.dumps(dict(call.input), sort_keys=True)) for call in talk.calls]
    assert len(keys) == len(set(keys))
    for call in talk.calls:
        jsonschema.validate(dict(call.input), dict(TOOLS[call.name].spec.schema))


@given(st.lists(st.tuples(st.text(max_size=300), st.booleans()), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_whatever_tools_answer_it_comes_to_an_end(results):
    """Refusals, stubs and texts of any form are no reason to fail or to go on for ever."""
    messages = [Message(role="user", blocks=(Text(text="How does parse_config stop retries?"),))]
    for step in range(8):
        request = ModelRequest(
            model="navigator",
            system=(),
            tools=tuple(tool.spec for tool in TOOLS.values()),
            messages=tuple(messages),
            max_tokens=1_000,
        )
        blocks, done = asyncio.run(stream(request))
        if done.stop_reason == "end_turn":
            assert step > 0
            return
        told = [
            ToolResult(tool_use_id=block.id, text=text, is_error=bad)
            for number, block in enumerate(blocks)
            for text, bad in [results[number % len(results)]]
        ]
        messages.append(Message(role="assistant", blocks=tuple(blocks)))
        messages.append(Message(role="user", blocks=tuple(told)))
    pytest.fail("it did not come to an end")
