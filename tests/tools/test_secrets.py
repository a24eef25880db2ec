import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from novacore.tools.secrets import Masker

PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEowIBAAKCAQEAu1SU1L\n" * 20
    + "-----END RSA PRIVATE KEY-----"
)
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"

SECRETS = [
    ("API_KEY=sk-test-000111222333", "sk-test-000111222333"),
    ("export DB_PASSWORD=hunter", "hunter"),
    (
        "AWS_SECRET_ACCESS_KEY=/wJalrXUtnFEMI/K7MDENG+bPxRfiCYzz",
        "/wJalrXUtnFEMI/K7MDENG+bPxRfiCYzz",
    ),
    ('DB_PASSWORD="correct horse"', "correct horse"),
    ("  password: hunter-22", "hunter-22"),
    ('"password": "hunter-22",', "hunter-22"),
    ("SECRET=0a1b2c3d4e", "0a1b2c3d4e"),
    ("SESSION_TOKEN=abcdefgh", "abcdefgh"),
    ("client_secret = 'a8f5f167f44f4964e6c998dee827110c'", "a8f5f167f44f4964e6c998dee827110c"),
    ('const apiKey = "AbC123xyz789QWE";', "AbC123xyz789QWE"),
    ('token: str = "abcd1234efgh5678"', "abcd1234efgh5678"),
    ("mysql --password=hunter22x -u root", "hunter22x"),
    ("deploy --token 9s8d7f6g5h4j3k", "9s8d7f6g5h4j3k"),
    ("Authorization: Bearer abc123def456ghi", "abc123def456ghi"),
    ('{"Authorization": "Basic dXNlcjpwYXNzMQ=="}', "dXNlcjpwYXNzMQ=="),
    ("postgres://app:p4ss!word@db:5432/x", "p4ss!word"),
    ("redis://:s3cret99@cache", "s3cret99"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("token ghp_" + "a1B2" * 9, "ghp_" + "a1B2" * 9),
    ("glpat-" + "x9" * 10, "glpat-" + "x9" * 10),
    ("xoxb-123456789012-abcdefGHIJ", "xoxb-123456789012-abcdefGHIJ"),
    ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
    ("SG." + "a" * 22 + "." + "b" * 43, "SG." + "a" * 22 + "." + "b" * 43),
    ("pypi-AgEIcHlwaS5vcmc" + "A1" * 40, "pypi-AgEIcHlwaS5vcmc" + "A1" * 40),
    ("0123456789abcdef0123456789abcdef-us12", "0123456789abcdef0123456789abcdef-us12"),
    (
        "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
        "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
    ),
    ("AccountKey=" + "aB1/" * 22, "aB1/" * 22),
    ("AIza" + "Sy0" * 11 + "ab", "AIza" + "Sy0" * 11 + "ab"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "c2lnbmF0dXJl"),
    (f"key follows\n{PEM}\nend", "MIIEowIBAAKCAQEAu1SU1L"),
    (PEM[:300], "MIIEowIBAAKCAQEAu1SU1L"),
    (PEM.replace("\n", "\\n"), "MIIEowIBAAKCAQEAu1SU1L"),
    ("//registry.npmjs.org/:_authToken=npm_" + "a1B2" * 9, "npm_" + "a1B2" * 9),
]

ORDINARY = [
    "password = input()",
    "password: str",
    "token: str | None = None",
    'API_KEY = os.environ["X"]',
    "API_KEY=$API_KEY",
    "API_KEY=${API_KEY:-}",
    "password=self.password, token=token2",
    'token = request.headers.get("X-Token")',
    "if token == expected_token2:",
    f"commit {HEX}",
    "version a1b2c3d4e5f60718",
    f"resolved sha512-{HEX}{HEX}==",
    "MAX_TOKENS=4096",
    "PASSWORD_RESET_TIMEOUT_DAYS=3",
    "tokens: 12500, key: value",
    "CACHE_KEY=linux-x64-9f86d081",
    'primary_key = "user_id_12"',
    'eos_token = "</s1>"',
    "password: string;  // required",
    "const token: Uint8Array2 = read()",
    "SSH_KEY=/home/me/keys/deploy1",
    'url = f"https://{user}:{password}@{host}"',
    "git clone https://github.com/a/b.git@v1.2.3",
    "https://host:8080/path@2x.png",
    'PASSWORD = "changeme"',
    "Authorization: Bearer <your token>",
    'headers = {"Authorization": f"Bearer {key}"}',
    "task-1234567890123456 risk-12345678901234567",
    "pip install pytest-asyncio msg.format(x)",
    '"-----BEGIN RSA PRIVATE KEY-----" in text',
    "SyntaxError: unexpected token: foo_bar12",
    "see https://example.com/docs?page=1&key=abc",
]


@pytest.fixture
def masker():
    return Masker(b"k" * 32)


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_secrets_are_masked(masker, text, secret):
    masked = masker.mask(text)
    assert secret not in masked.text
    assert masker.has_mask(masked.text)
    assert sum(masked.counts.values()) >= 1


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_code_and_output_stay_as_they_are(masker, text):
    masked = masker.mask(text)
    assert masked.text == text
    assert masked.counts == {}
    assert not masker.has_mask(text)


def test_a_value_has_one_number_everywhere_and_another_in_another_session(masker):
    forms = [
        "API_KEY=sk-test-000111222333",
        "https://u:sk-test-000111222333@h",
        "is sk-test-000111222333?",
    ]
    numbers = {masker.mask(text).text.partition("#")[2][:8] for text in forms}
    assert len(numbers) == 1
    assert Masker(b"k" * 32).mask(forms[2]).text.partition("#")[2][:8] in numbers
    assert Masker(b"other").mask(forms[2]).text.partition("#")[2][:8] not in numbers


def test_what_was_once_a_secret_is_one_without_its_name_too(masker):
    masker.mask("DB_PASSWORD=Tr0ub4dor&3xyz")
    assert "Tr0ub4dor" not in masker.mask("login failed for Tr0ub4dor&3xyz at db").text


def test_known_values_are_masked_from_the_start():
    assert Masker(b"k", known=["the-providers-key"]).mask("x the-providers-key").counts == {
        "known": 1
    }


def test_what_surrounds_a_secret_is_kept(masker):
    text = masker.mask("a\r\nAPI_KEY=sk-test-000111222333\r\nPATH=/bin\n").text
    assert text.startswith("a\r\nAPI_KEY=[secret:")
    assert text.endswith("]\r\nPATH=/bin\n")


PIECES = st.sampled_from(
    [text for text, _ in SECRETS]
    + ORDINARY
    + [
        "=",
        ": ",
        '"',
        "\n",
        " ",
        "[secret:key#",
        "0" * 8,
        "]",
        "password",
        "PASSWORD=",
        "API_KEY",
        "://a:",
        "@b",
        "İ",
        "-----BEGIN ",
        "\\",
    ]
)


@settings(max_examples=300, deadline=None)
@given(parts=st.lists(PIECES | st.text(max_size=8), max_size=8))
@example(parts=["API_KEY", "=", "[secret:key#00000000]", "x1y2z3w4v5u6"])
def test_masking_twice_changes_nothing_more(parts):
    masker = Masker(b"k")
    once = masker.mask("".join(parts)).text
    assert masker.mask(once).text == once


@pytest.mark.parametrize(
    "unit",
    [
        "key=",
        "token: ",
        "password:" + "a" * 30,
        "://a:",
        "-----BEGIN PRIVATE KEY-----\n",
        "sk-a",
        "eyJ.",
        "//a/:_authToken=",
        "authorization: bearer ",
        "AKIA aws key ",
        "a",
        'password="',
        "glagent-",
    ],
)
def test_hostile_texts_cost_no_more_than_their_length(masker, unit):
    def seconds(chars):
        text = (unit * (chars // len(unit) + 1))[:chars]
        before = time.process_time()
        masker.mask(text)
        return time.process_time() - before

    seconds(10_000)
    # Quadratic work would be 256 times as much; linear work is 16 times.
    assert seconds(320_000) < 100 * max(seconds(20_000), 0.002)


def test_logs_and_own_source_hold_no_false_finding(masker, shared):
    places = [*shared("data", "test-logs").iterdir(), *shared("data", "ci-logs").rglob("*.log")]
    source = shared("data").parents[1] / "main/novacore"
    found = {}
    for path in (*places, *source.rglob("*.py")):
        counts = masker.mask(path.read_text(errors="replace")).counts
        if counts:
            found[path.name] = counts
    assert found == {}
