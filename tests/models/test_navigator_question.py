"""What the navigator takes from a question."""

from __future__ import annotations

import re

import pytest

from novacore.models.navigator.question import settled, take_apart
from novacore.models.navigator.terms import pattern_of, terms_of


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        ("What calls render_restatement?", ("render_restatement",), []),
        ("How does `Parser.run` stop?", ("Parser.run",), ["stop"]),
        ("What is a Fragment?", ("Fragment",), []),
        ("How does useTheme() pick colours", ("useTheme",), ["pick", "colours"]),
        ("Where is the budget of a window computed?", (), ["budget", "window", "computed"]),
        ("哪里处理 trust?", (), ["trust"]),
        ("插件卡住时怎么停止?", (), ["plugin", "hang", "stop"]),
        ("谁调用 budget_for?", ("budget_for",), []),
        ("谁调用budget_for", ("budget_for",), []),
    ],
)
def test_names_and_words(text, names, words):
    question = take_apart(text)
    assert question.names == names
    assert [term.word for term in question.terms][: len(words)] == words


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("What calls run_git?", "callers"),
        ("where is run_git used", "callers"),
        ("callers of run_git", "callers"),
        ("哪里调用了 run_git?", "callers"),
        ("run_git 被谁调用", "callers"),
        ("Where are names compared?", "where"),
        ("Which module writes the log?", "where"),
        ("哪里写日志?", "where"),
        ("How does run_git work?", "explain"),
        ("what calls the plugins", "explain"),
        ("what calls sweep?", "callers"),
        ("where is sweep used", "callers"),
    ],
)
def test_intent(text, intent):
    assert take_apart(text).intent == intent


def test_an_everyday_word_is_a_name_only_where_such_a_symbol_exists():
    question = take_apart("What calls sweep?")
    assert settled(question, {"sweep"}).names == ("sweep",)
    assert settled(question, {"sweeper"}).names == ()
    assert settled(question, {"sweeper"}).intent == "explain"
    assert [term.word for term in question.terms] == ["sweep"]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("Add a --quiet flag to ask", True),
        ("please could you fix the parser", True),
        ("请修改解析器", True),
        ("How do I add a plugin?", False),
        ("Where is the fix for X made?", False),
        ("Explain how edits change a file", False),
    ],
)
def test_wishes_for_changes_are_told_from_questions(text, change):
    assert take_apart(text).change is change


def test_paths_are_no_names():
    question = take_apart("What does src/app/parse_config.py do with retries?")
    assert question.paths == ("src/app/parse_config.py",)
    assert question.names == ()


def test_a_question_that_points_back_takes_the_names_of_the_one_before():
    question = take_apart("and where is it tested?", before="How does `run_git` work?")
    assert question.names == ("run_git",)
    assert question.tests


def test_a_question_that_names_nothing_looks_at_the_readme():
    question = take_apart("What is this?")
    assert question.vague
    assert question.paths == ("README.md",)


def test_a_pasted_text_is_bounded():
    question = take_apart("why? " + "spam_eggs " * 500_000 + "last_name")
    assert question.names == ("spam_eggs",)


@pytest.mark.parametrize(
    ("word", "found", "not_found"),
    [
        ("hangs", ["hang", "hung", "HANG_SECONDS", "is_hung", "willHang"], ["change", "shang"]),
        ("retried", ["retry", "retries", "maxRetries", "Retry"], ["entry"]),
        ("logs", ["log", "the_log", "logged", "eventLog", "LOG"], ["login", "catalog", "logical"]),
        ("configuration", ["config", "cfg", "configure"], ["con"]),
        ("预言机", ["这是预言机"], ["预言"]),
    ],
)
def test_patterns_find_forms_at_the_beginning_of_words(word, found, not_found):
    pattern = re.compile(pattern_of(terms_of([word])[0].forms))
    assert [text for text in found if not pattern.search(text)] == []
    assert [text for text in not_found if pattern.search(text)] == []
