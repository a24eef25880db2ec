"""Cache marks: at most four, never on reasoning or blank text, and the newest one carried on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from novacore.engine.marks import SYSTEM_MARK, newest_place, place_marks
from novacore.types import Mark, Message, Reasoning, Text

blocks = st.one_of(
    st.sampled_from(["words", "", "  "]).map(lambda t: Text(text=t)),
    st.just(Reasoning(data={"type": "thinking"})),
)
conversations = st.lists(st.lists(blocks, min_size=1, max_size=4), max_size=5).map(
    lambda groups: tuple(
        Message(role="user" if i % 2 == 0 else "assistant", blocks=tuple(group))
        for i, group in enumerate(groups)
    )
)


@given(conversations, st.integers(0, 5), st.none() | st.builds(Mark, message=st.integers(0, 6)))
def test_marks_are_few_unique_and_placeable(messages, head, previous):
    marks = place_marks(messages, head_blocks=head, previous=previous)
    assert marks[0] == SYSTEM_MARK
    assert len(marks) <= 4
    assert len(set(marks)) == len(marks)
    for mark in marks[1:]:
        block = messages[mark.message].blocks[mark.block]
        assert isinstance(block, Text)
        assert block.text.strip()


def test_the_newest_mark_of_the_last_request_is_marked_again():
    first = (Message(role="user", blocks=(Text(text="head"), Text(text="q"))),)
    newest = newest_place(first)
    second = (
        *first,
        Message(role="assistant", blocks=(Text(text="a"),)),
        Message(role="user", blocks=(Text(text="more"),)),
    )
    marks = place_marks(second, head_blocks=1, previous=newest)
    assert marks == (
        SYSTEM_MARK,
        Mark(message=0, block=0),
        Mark(message=0, block=1),
        Mark(message=2, block=0),
    )
