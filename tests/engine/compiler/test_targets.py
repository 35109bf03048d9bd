import pytest
from tvm.target.codegen import llvm_get_cpu_features

from engine.compiler.targets import TargetName, host_cpu, host_features, target_named, tvm_target
from engine.errors import CompileError


def test_targets_have_the_names_of_the_command_line():
    assert target_named("cpu") is TargetName.CPU


def test_an_unknown_target_names_the_known_ones():
    with pytest.raises(CompileError, match="no target “gpu”"):
        target_named("gpu")


def test_the_host_target_has_the_features_of_this_processor_and_no_others():
    features = host_features()
    present = {feature[1:] for feature in features if feature.startswith("+")}
    absent = {feature[1:] for feature in features if feature.startswith("-")}
    assert present
    assert not present & absent
    enabled = set(llvm_get_cpu_features(host_cpu()))
    assert present <= enabled
    assert not absent & enabled


def test_every_target_can_be_given_to_tvm():
    assert all(tvm_target(target).kind.name == "llvm" for target in TargetName)
