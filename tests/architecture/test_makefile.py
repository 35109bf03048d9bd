"""Tests of `make` with stand-ins for its programs: no failure is ignored, not even in make 3.81."""

import pytest

from tests.architecture.stand_ins import Scratch, silent


@pytest.fixture
def scratch(tmp_path):
    return Scratch(tmp_path)


@pytest.fixture
def fresh(tmp_path):
    return Scratch(tmp_path, ready=False)


TARGETS = ("run", "test", "test-as-mac", "mac-report", "compiled-models", "golden", "metal-kernels", "format")


@pytest.mark.parametrize("target", TARGETS)
def test_every_failing_program_fails_the_make_target(target, tmp_path):
    assert Scratch(tmp_path / "once").run(f"make {target}").calls
    assert silent(f"make {target}", tmp_path) == []


def test_with_a_display_the_window_opens_with_the_options_given(tmp_path):
    outcome = Scratch(tmp_path / "once").run("make run ARGS=--diagnostics", DISPLAY=":1")
    assert outcome.calls == ["python -m app --fetch kokoro-82m-8bit --diagnostics"]
    assert silent("make run", tmp_path, DISPLAY=":1") == []


def test_modules_are_built_until_one_cannot_be(scratch):
    whole = scratch.run("make compiled-models").calls
    assert len(whole) == 14
    assert "--save-golden resources/golden/" in whole[-1]
    assert scratch.run("make compiled-models", failing=whole[6]).calls == whole[:7]


def test_tests_get_the_options_given(scratch):
    calls = scratch.run("make test ARGS=--without-metal").calls
    tests = [call for call in calls if call.startswith("pytest")]
    assert len(tests) == 2
    assert all(call.endswith(" --without-metal") for call in tests)


def test_tests_that_run_alone_are_run_though_others_have_failed(scratch):
    whole = scratch.run("make test WORKERS=4").calls
    assert "--numprocesses 4" in whole[-2]
    assert "--numprocesses" not in whole[-1]
    failed = scratch.run("make test WORKERS=4", failing=whole[-2])
    assert failed.code
    assert failed.calls == whole


def test_kernels_that_do_not_compile_are_named_after_all_were_tried(scratch):
    whole = scratch.run("make metal-kernels")
    first, second = sorted(call for call in whole.calls if call.startswith("xcrun"))
    assert "-c build/metal-kernels/one.metal -o build/metal-kernels/one.air" in first
    failed = scratch.run("make metal-kernels", failing=first)
    assert failed.code
    assert {first, second} <= set(failed.calls)
    assert "build/metal-kernels/one.metal does not compile." in failed.words
    assert "two.metal does not compile" not in failed.words


def test_metal_kernels_of_removed_modules_are_not_compiled(scratch):
    old = scratch.folder / "build" / "metal-kernels" / "old.metal"
    old.parent.mkdir(parents=True)
    old.touch()
    assert not any("old.metal" in call for call in scratch.run("make metal-kernels").calls)


def test_setup_announces_slow_installations_before_they_start(fresh):
    lines = fresh.run("make setup-test").words.splitlines()
    spoken = [line.split()[0] for line in lines if line.startswith(("Installing", "pip install"))]
    assert spoken == ["Installing", "pip", "pip", "Installing", "pip"]
    assert all("minutes" in line and "GB" in line for line in lines if line.startswith("Installing"))


@pytest.mark.parametrize("place", range(3))
def test_packages_that_cannot_be_installed_are_tried_again(place, tmp_path):
    whole = Scratch(tmp_path / "whole", ready=False).run("make setup-test").calls
    fresh = Scratch(tmp_path / "fresh", ready=False)
    assert fresh.run("make setup-test", failing=whole[place]).code
    assert fresh.run("make setup-test").calls[-1] == whole[-1]


def test_setup_installs_nothing_on_an_unsupported_machine(fresh):
    (fresh.folder / ".venv" / "bin" / "python").unlink()
    refusing = fresh.add_program("python-elsewhere", "echo This machine cannot run it. >&2; exit 1")
    outcome = fresh.run(f"make setup PYTHON={refusing}")
    assert outcome.code
    assert "This machine cannot run it." in outcome.words
    assert outcome.calls == []


@pytest.mark.parametrize("system", ["Linux", "Darwin"])
def test_system_libraries_are_requested_only_on_linux_despite_homebrew_dpkg(system, scratch):
    scratch.add_program("uname", f"echo {system}")
    scratch.add_program("dpkg-query", "exit 1")
    scratch.add_program("id", "echo 501")
    outcome = scratch.run("make system-test")
    assert (outcome.code != 0, "apt-get" in outcome.words) == (system == "Linux",) * 2
