import os
import subprocess
import sys

import pytest

from engine.system.offline import SETTINGS, stay_offline


def test_libraries_are_told_to_stay_offline() -> None:
    environment: dict[str, str] = {"HF_HUB_OFFLINE": "0"}
    stay_offline(environment)
    assert environment == SETTINGS


@pytest.mark.parametrize("command", ["engine", "app"])
def test_each_command_line_does_so_before_anything_else(command: str) -> None:
    code = (
        f"import sys; from {command}.__main__ import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "from huggingface_hub import constants\n"
        "sys.exit(not (constants.HF_HUB_OFFLINE and constants.HF_HUB_DISABLE_TELEMETRY))"
    )
    without = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=without, check=False)
    assert done.returncode == 0
