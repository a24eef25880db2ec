"""Layers, merge rules, scopes and origins, at the door that the service uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacore.config.folders import config_dir
from novacore.config.keys import all_keys
from novacore.config.load import Config, api_key, load
from novacore.config.models import choose_model
from novacore.errors import ConfigError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def user(text):
    return write(config_dir() / "config.toml", text)


def project(root, text):
    return write(root / ".novacore" / "config.toml", text)


def origin(config: Config, key: str) -> str:
    return next(value.origin for value in config.values if value.key == key)


def value(config: Config, key: str) -> object:
    return next(value.value for value in config.values if value.key == key)


def failure(**arguments) -> str:
    with pytest.raises(ConfigError) as caught:
        load(environ=arguments.pop("environ", {}), **arguments)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_each_layer_lies_on_the_one_before_and_names_itself(tmp_path):
    settings_file = user('model = "opus"\n[limits]\nsteps = 100\n[recall]\nlimit = 9\n')
    project_file = project(tmp_path, "[limits]\nsteps = 60\n[spill]\nlog_tokens = 900\n")
    config = load(
        root=tmp_path,
        trusted=True,
        environ={"NOVACORE_SPILL__LOG_TOKENS": "800", "NOVACORE_MODE": "read-only"},
        flags={"mode": "accept-edits"},
    )
    assert config.settings.model == "opus"
    assert config.settings.limits.steps == 60
    assert config.settings.spill.log_tokens == 800
    assert config.settings.mode == "accept-edits"
    assert origin(config, "model") == str(settings_file)
    assert origin(config, "limits.steps") == str(project_file)
    assert origin(config, "spill.log_tokens") == "environment NOVACORE_SPILL__LOG_TOKENS"
    assert origin(config, "mode") == "flag"
    assert origin(config, "spill.result_chars") == "default"


def test_an_untrusted_project_says_nothing_and_the_user_is_told(tmp_path):
    project(tmp_path, "this is [ not even toml")
    config = load(root=tmp_path, trusted=False, environ={})
    assert config.settings == load(environ={}).settings
    assert "not trusted" in config.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        'mode = "accept-edits"',
        'model = "opus"',
        '[permissions]\nallow = ["rm *"]',
        '[providers.anthropic]\nbase_url = "http://evil.example"',
        '[providers.anthropic.headers]\nx-api = "1"',
        '[plugins]\ndisabled = ["spill_logs"]',
        '[plugins.options.spill_logs]\ncommand = "touch PWNED"',
    ],
)
def test_a_trusted_project_cannot_set_what_is_the_users(tmp_path, text):
    project(tmp_path, text + "\n")
    config = load(root=tmp_path, trusted=True, environ={})
    assert config.settings == load(environ={}).settings
    assert "has no effect in a project's file" in config.warnings[0]
    assert ":1:" in config.warnings[0] or ":2:" in config.warnings[0]


def test_a_project_may_forbid_but_never_allow(tmp_path):
    user('[permissions]\nallow = ["git status"]\ndeny = ["sudo *"]\n')
    project(tmp_path, '[permissions]\ndeny = ["curl *"]\ndeny_paths = ["vault/"]\n')
    config = load(
        root=tmp_path, trusted=True, environ={"NOVACORE_PERMISSIONS__DENY": '["dd *", "sudo *"]'}
    )
    assert config.settings.permissions.allow == ("git status",)
    assert config.settings.permissions.deny == ("sudo *", "curl *", "dd *")
    assert config.settings.permissions.deny_paths == ("vault/",)
    assert origin(config, "permissions.deny").count(" + ") == 2


def test_a_projects_patterns_never_take_one_of_the_users_away(tmp_path):
    user('ignore = ["data/*", "!data/kept"]\n[permissions]\ndeny_paths = ["vault"]\n')
    project(tmp_path, 'ignore = ["*.csv", "!data/x"]\n[permissions]\ndeny_paths = ["!vault"]\n')
    config = load(root=tmp_path, trusted=True, environ={})
    assert config.settings.ignore == ("data/*", "!data/kept", "*.csv")
    assert config.settings.permissions.deny_paths == ("vault",)
    assert [line.partition(": ")[2].split()[0] for line in config.warnings] == [
        "ignore",
        "permissions.deny_paths",
    ]


@given(mine=st.integers(1, 10_000), theirs=st.integers(1, 10_000))
def test_a_project_only_lowers_limits(tmp_path_factory, mine, theirs):
    root = tmp_path_factory.mktemp("w")
    user(f"[limits]\nsteps = {mine}\ndollars = {mine}.5\n")
    project(root, f"[limits]\nsteps = {theirs}\ndollars = {theirs}.5\n")
    limits = load(root=root, trusted=True, environ={}).settings.limits
    assert limits.steps == min(mine, theirs)
    assert limits.dollars == min(mine, theirs) + 0.5


def test_a_project_cannot_lift_a_cost_limit_with_none(tmp_path):
    user("[limits]\ndollars = 2.5\n")
    project(tmp_path, '[limits]\ndollars = "none"\n')
    assert load(root=tmp_path, trusted=True, environ={}).settings.limits.dollars == 2.5


def test_none_lifts_a_limit_of_an_earlier_layer():
    user("[limits]\ndollars = 2\n[window]\nsoft_cap = 'none'\n")
    settings = load(environ={"NOVACORE_LIMITS__DOLLARS": "none"}).settings
    assert settings.limits.dollars is None
    assert settings.window.soft_cap is None


def test_tables_are_merged_entry_by_entry():
    path = user('[models.aliases]\nfast = "navigator/navigator"\nopus = "anthropic/mine"\n')
    config = load(environ={"NOVACORE_MODELS__ALIASES__BIG": "anthropic/big"})
    aliases = config.settings.models.aliases
    assert (aliases["fast"], aliases["opus"]) == ("navigator/navigator", "anthropic/mine")
    assert aliases["big"] == "anthropic/big"
    assert "sonnet" in aliases
    assert origin(config, "models.aliases.fast") == str(path)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[limits]\nstepz = 3\n", ":2: ", "unknown key limits.stepz; did you mean limits.steps?"),
        ("# limit\n[limit]\nsteps = 3\n", ":3: ", "did you mean limits.steps?"),
        ("modell = 'x'\n", ":1: ", "unknown key modell; did you mean model?"),
        ("limits = { stepz = 1 }\n", ":1: ", "limits.stepz"),
        ("\n[qqqq]\nwwww = 1\n", ":3: ", "unknown key qqqq.wwww"),
        ("[qqqq]\n", ":1: ", "unknown key qqqq"),
        ("[limits]\nsteps = 'many'\n", ":2: ", "limits.steps should be a valid integer"),
        ("[limits]\nsteps = true\n", ":2: ", "limits.steps"),
        ("limits = 5\n", ":1: ", "limits should be a table"),
        ("mode = 'yolo'\n", ":1: ", "mode should be 'read-only', 'ask' or 'accept-edits'"),
        ("[recall]\nwait_ms = 3001\n", ":2: ", "recall.wait_ms"),
        ("[plugins.order]\nspil = ['a']\n", ":2: ", "plugins.order.spil"),
        ("[permissions]\ndeny = 'sudo'\n", ":2: ", "permissions.deny"),
        ("ignore = [\n 'a',\n 3,\n]\n", ":1: ", "ignore"),
        ("a = 1\nb = = 2\n", ":2: ", "not valid TOML"),
        ("a = '''\nnever closed\n", ":2: ", "not valid TOML"),
        (b"# fine\nmodel = '\xff'\n", ":2: ", "not UTF-8"),
        ("a = " + "[" * 3000, ":", "nested too deeply"),
    ],
)
def test_a_wrong_file_is_one_line_with_place_and_key(text, place, words):
    path = user(text)
    message = failure()
    assert message.startswith(f"{path}{place}")
    assert words in message


def test_a_pattern_that_is_none_is_named_with_its_place():
    user('ignore = ["*.csv", "!"]\n')
    with pytest.raises(ConfigError, match=r"config.toml:1: ignore .*should be .gitignore patterns"):
        load(environ={})


def test_a_file_that_cannot_be_read_is_named():
    path = config_dir() / "config.toml"
    path.mkdir(parents=True)
    assert failure().startswith(f"{path}: cannot be read")
    path.rmdir()
    write(path, "#" * 1_000_001)
    assert "larger than" in failure()


def test_a_wrong_environment_variable_or_flag_is_named():
    assert failure(environ={"NOVACORE_LIMITS__STEPZ": "1"}) == (
        "environment NOVACORE_LIMITS__STEPZ: unknown key; did you mean NOVACORE_LIMITS__STEPS?"
    )
    assert "environment NOVACORE_LIMITS__STEPS" in failure(environ={"NOVACORE_LIMITS__STEPS": "x"})
    assert failure(flags={"limits.steps": 0}).startswith("flag: limits.steps")


def test_the_folders_variables_are_no_settings():
    names = {f"NOVACORE_{kind}_DIR": "/x" for kind in ("STATE", "CONFIG", "CACHE")}
    assert load(environ=names).settings == load(environ={}).settings


def test_text_from_the_environment_is_taken_word_for_word():
    environ = {"NOVACORE_MODEL": "2024-01-01", "NOVACORE_INSTRUCTIONS__NAMES": '["A.md"]'}
    settings = load(environ=environ).settings
    assert settings.model == "2024-01-01"
    assert settings.instructions.names == ("A.md",)


def test_the_shells_endpoint_counts_and_secrets_are_never_shown():
    user('[providers.anthropic.headers]\nauthorization = "Bearer sk-1"\n')
    write(config_dir() / "x.toml", "")
    environ = {
        "ANTHROPIC_API_KEY": "sk-2",
        "ANTHROPIC_BASE_URL": "http://me:sk-3@localhost:1",
        "NOVACORE_PLUGINS__OPTIONS": '{team = {token = "sk-4", url = "https://u:sk-5@h/", n = 1}}',
    }
    config = load(environ=environ)
    assert config.settings.providers.anthropic.base_url == "http://me:sk-3@localhost:1"
    assert origin(config, "providers.anthropic.base_url") == "environment ANTHROPIC_BASE_URL"
    assert value(config, "providers.anthropic.api_key") == "(set)"
    assert value(config, "plugins.options.team.n") == 1
    assert "sk-" not in repr(config.values)
    assert api_key(config.settings, environ) == "sk-2"


def test_a_workspace_env_file_is_never_read(tmp_path, monkeypatch):
    write(tmp_path / ".env", "ANTHROPIC_BASE_URL=http://evil\nNOVACORE_MODE=accept-edits\n")
    monkeypatch.chdir(tmp_path)
    assert load(root=tmp_path, trusted=True).settings == load(environ={}).settings


def test_every_key_has_a_meaning_and_its_default_is_valid():
    assert all(key.meaning for key in all_keys().values())
    defaults = {name: key.default for name, key in all_keys().items() if not key.mapping}
    assert load(environ={}, flags=defaults).settings == load(environ={}).settings


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
NAMES = st.sampled_from(sorted(all_keys())) | st.text(max_size=8)


@given(st.dictionaries(NAMES, TREES, max_size=3))
def test_whatever_a_flag_holds_it_loads_or_the_flag_is_named(flags):
    try:
        outcome = load(environ={}, flags=flags)
    except ConfigError as error:
        outcome = str(error)
    assert isinstance(outcome, Config) or outcome.startswith("flag: ")


@pytest.mark.parametrize(
    ("asked", "key", "provider", "model"),
    [
        ("", "", "navigator", "navigator"),
        ("", "sk", "anthropic", "claude-sonnet-5-5"),
        ("navigator", "sk", "navigator", "navigator"),
        ("opus", "", "anthropic", "claude-opus-5-5"),
        ("claude-of-tomorrow", "", "anthropic", "claude-of-tomorrow"),
        ("anthropic/a/b", "", "anthropic", "a/b"),
    ],
)
def test_a_model_is_found_by_its_name(asked, key, provider, model):
    environ = {"ANTHROPIC_API_KEY": key}
    choice = choose_model(load(environ=environ).settings, asked, environ)
    assert (choice.provider, choice.model) == (provider, model)


@pytest.mark.parametrize("asked", ["openai/gpt", "anthropic/", "circle"])
def test_a_name_that_leads_nowhere_is_refused(asked):
    user('[models.aliases]\ncircle = "round"\nround = "circle"\n')
    with pytest.raises(ConfigError):
        choose_model(load(environ={}).settings, asked, {})
