import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacore.tools.plan import SPEC as PLAN
from novacore.tools.run import SPEC as RUN
from novacore.tools.schema_check import mistakes

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 700) | st.floats(-5, 5) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "items", "text", "status", "command", "timeout"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
SIMPLE = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                ["string", "integer", "number", "boolean", "null", "array", "object"]
            )
        }
    ),
    st.fixed_dictionaries({"type": st.just(["string", "null"]), "minLength": st.integers(0, 3)}),
    st.fixed_dictionaries(
        {"type": st.just("integer"), "minimum": st.integers(0, 3), "maximum": st.integers(0, 9)}
    ),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(["a", 1, True, None]), min_size=1)}),
    st.fixed_dictionaries({"const": st.sampled_from([1, "a", False])}),
    st.fixed_dictionaries({"type": st.just("number"), "exclusiveMinimum": st.integers(0, 3)}),
    st.fixed_dictionaries({"pattern": st.just("^a")}),
    st.booleans(),
)
SCHEMAS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from(["a", "items", "text"]), inner),
                "required": st.lists(st.sampled_from(["a", "text"]), unique=True),
                "additionalProperties": st.booleans() | inner,
            }
        ),
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner, "maxItems": st.integers(0, 2)}
        ),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=2)}),
    ),
    max_leaves=5,
)


@settings(max_examples=500, deadline=None)
@given(value=VALUES, schema=SCHEMAS)
def test_it_agrees_with_jsonschema_about_what_fits(value, schema):
    assert (not list(mistakes(value, schema))) == jsonschema.Draft202012Validator(schema).is_valid(
        value
    )


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        (RUN.schema, {"command": 3}, "command must be string, not integer"),
        (RUN.schema, {"command": "ls", "timeout": 9999}, "timeout must be at most 600"),
        (RUN.schema, {"cmd": "ls"}, "cmd is unknown; known are command, timeout"),
        (RUN.schema, {"command": ""}, "command needs at least 1 characters"),
        (PLAN.schema, {}, "items is missing"),
        (PLAN.schema, {"items": [{"text": "x"}]}, "items[0].status is missing"),
        (
            PLAN.schema,
            {"items": [{"text": "x", "status": "new"}]},
            "items[0].status must be one of 'open'",
        ),
        (PLAN.schema, "x", "the input must be object, not string"),
    ],
)
def test_a_mistake_names_its_place_and_what_is_right(schema, value, words):
    found = list(mistakes(value, schema))
    assert any(sentence.startswith(words) for sentence in found)
    assert all("\n" not in sentence for sentence in found)
