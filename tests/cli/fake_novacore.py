"""The real command with a scripted service behind it: ``python fake_novacore.py ask hang``."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

# The package without its ``__init__``: the scripted service needs none of the engine.
stand_in = sys.modules["novacore.service"] = ModuleType("novacore.service")
stand_in.__path__ = [str(Path(find_spec("novacore").origin).with_name("service"))]

from fake_service import ERRORS, FakeService  # noqa: E402

from novacore.cli import main  # noqa: E402

stand_in.Service = FakeService
FakeService.broken = ERRORS.get(os.environ.get("FAKE_BROKEN", ""))
sys.argv[0] = "novacore"
sys.exit(main())
