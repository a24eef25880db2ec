"""The plugin `recall_lexical`: it finds what is about the same, and nothing for the rest."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from host.plugin_folder import recall_request, services
from novacore.engine.verify.recall import verify_recall
from novacore.services import Remembered
from novacore.tokens import estimate
from novacore.types import SessionRef
from novacore_plugins.recall_lexical import RecallLexical, RecallSettings

PAST = (
    "The retry loop in http_client.py must back off exponentially; we settled on a factor of two.",
    "Deploy to staging only from the release branch, never from main.",
    "The CSV importer drops rows whose currency column is empty; customers asked for an error.",
    "Please fix the failing test in the module and run all the tests again.",
    "数据库连接池的上限是二十个连接，超过之后请求会排队等待。",
    "Wir haben beschlossen, die Protokolle im Ordner nur einen Monat lang aufzubewahren.",
)


def remembered(text, n=0, kind="user", uri=""):
    return Remembered(
        key=f"k{n}", text=text, uri=uri or f"event:old/{n}", time="2025-01-01", score=1.0, kind=kind
    )


class Past:
    """Everything matches: what is relevant is for the plugin to decide."""

    def __init__(self, found):
        self.found, self.calls = found, []

    def search(self, text, *, limit, exclude_session=""):
        self.calls.append((text, limit, exclude_session))
        return self.found[:limit]


def recalled(text, past=PAST, *, kind="user", request=None, **changes):
    found = [p if isinstance(p, Remembered) else remembered(p, n, kind) for n, p in enumerate(past)]
    plugin = RecallLexical(RecallSettings(), services(past=Past(found)))
    request = request or recall_request(text=text, **changes)
    answer = plugin.recall(request)
    verify_recall(answer, request, estimate)
    assert answer == plugin.recall(request)
    return [item.text for item in answer]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How does the retry loop back off exponentially?", 0),
        ("what did we decide about retries in http_client.py", 0),
        ("Can I deploy from main or does it have to be the release branch?", 1),
        ("why does the importer drop CSV rows without a currency", 2),
        ("数据库连接池的上限是多少", 4),
        ("Wie lange bleiben die Protokolle im Ordner, wie haben wir es beschlossen?", 5),
    ],
)
def test_what_is_about_the_same_is_recalled(text, expected):
    assert recalled(text) == [PAST[expected]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "continue",
        "yes, please do it",
        "Add a dark theme to the settings dialog",
        "Please fix the failing test in the module",
        "run all the tests again",
        "explain this function to me",
        "请给登录页面加一个按钮",
        "Kannst du bitte die Farbe im Dialog ändern und die Schrift größer machen?",
        "🙂🙂🙂",
        "((((((",
    ],
)
def test_what_is_not_recalls_nothing(text):
    assert recalled(text) == []


def test_a_memory_needs_less_than_something_said_once():
    words = "Logins go through the OAuth proxy, and the password form stays off."
    assert recalled("why does the login fail?", [words]) == []
    assert recalled("why does the login fail?", [words], kind="memory") == [words]
    assert recalled("Rename the colour column", [words], kind="memory") == []


def test_inflected_words_and_the_writing_of_names_meet():
    past = ["Caching of rendered pages was disabled because templates were cached twice."]
    assert recalled("should the renderer cache pages and templates?", past) == past
    past = ["retry_backoff stays at two seconds"]
    assert recalled("what is retry_backoff set to", past) == past


def test_the_best_come_first_and_no_more_than_asked():
    past = [f"connection pool limit {'timeout ' * (n % 2)}number {n}" for n in range(12)]
    found = recalled("connection pool limit timeout", past, limit=3)
    assert len(found) == 3
    assert all("timeout" in text for text in found)


def test_this_session_and_a_forks_parent_are_not_its_past():
    past = Past([remembered(PAST[0], uri="event:parent/7"), remembered(PAST[0] + "!", 1)])
    plugin = RecallLexical(RecallSettings(), services(past=past))
    session = SessionRef(id="child", kind="forked", parent="parent")
    request = recall_request(text="retry loop back off exponentially")
    (item,) = plugin.recall(replace(request, session=session))
    assert item.uri == "event:old/1"
    assert past.calls[0][2] == "child"


def test_sizes_are_bounded():
    past = Past([remembered("retry loop exponentially " * 4_000), remembered(PAST[0], 1)])
    plugin = RecallLexical(RecallSettings(), services(past=past))
    request = recall_request(text="retry loop back off exponentially " * 20_000)
    answer = plugin.recall(request)
    assert [item.key for item in answer] == ["k1"]
    assert len(past.calls[0][0]) < 5_000


def test_the_goal_stands_in_for_an_occasion_without_words():
    request = recall_request(text="", goal="the retry loop has to back off exponentially")
    assert recalled("", request=request) == [PAST[0]]


def test_it_works_on_the_real_index(tmp_path):
    from novacore.store.memory import MemoryPlace
    from novacore.store.past import PastIndex
    from novacore.types import Trust

    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "ports.md").write_text(
        "---\nname: ports\ndescription: database port\ntype: project\n---\n"
        "The database listens on port 5433, not on the default.\n"
    )
    place = MemoryPlace(name="project", folder=folder, trust=Trust.USER)
    past = PastIndex(
        cache=tmp_path / "cache", state=tmp_path, principal="me", repository="r", places=(place,)
    )
    lent = SimpleNamespace(past=past, count=estimate)
    plugin = RecallLexical(RecallSettings(), lent)
    (item,) = plugin.recall(recall_request(text="Which port does the database listen on?"))
    assert "5433" in item.text
    assert item.uri.startswith("mem:")
    assert list(plugin.recall(recall_request(text="Make the button blue"))) == []


def test_old_tool_output_is_no_memory():
    words = "the login fails since the retry budget of the gateway is spent"
    asked = "why does the login fail when the retry budget of the gateway is spent?"
    assert recalled(asked, [words], kind="user") == [words]
    assert recalled(asked, [words], kind="tool") == []
