import pytest

from engine.benchmark import worker
from engine.benchmark.job import BenchmarkJob
from engine.benchmark.peers import OURS, OURS_ON_PROCESSOR, PEER_NAMES
from engine.benchmark.worker import PEAK, ROLES, SPEAK, Question, Speaking, serve
from engine.models.checkpoints import model_config
from engine.runtime.synthesizer import Synthesizer


class Echo:
    def __init__(self, job, folder):
        self.job = job

    def answer(self, question, details):
        return {"question": question, "details": details, "model": self.job.model}


@pytest.fixture
def served(tmp_path, monkeypatch):
    BenchmarkJob("starter", None, 1, stage_seconds=0).save(tmp_path)
    monkeypatch.setattr(worker, "ROLES", {"echo": Echo})

    def say(*questions):
        heard = []
        serve("echo", tmp_path, iter(questions), heard.append)
        return heard

    return say


def test_every_question_has_an_answer_and_the_first_comes_by_itself(served):
    ready, answer = served(Question("run", {"frames": 8}))
    assert ready == {"ready": "echo"}
    assert answer == {"question": "run", "details": {"frames": 8}, "model": "starter"}


def test_there_is_a_role_for_ours_and_every_peer():
    assert {OURS, OURS_ON_PROCESSOR, PEAK, *PEER_NAMES} <= set(ROLES)


@pytest.mark.parametrize(("role", "device"), [(OURS, "metal"), (OURS_ON_PROCESSOR, "cpu")])
def test_ours_beside_a_gpu_runs_on_the_cpu(role, device, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(worker, "our_runner", asked.append)
    ROLES[role](BenchmarkJob("starter", None, 1, device="metal"), tmp_path)
    assert [job.device for job in asked] == [device]


def test_requests_are_spoken_on_the_device_of_the_job(monkeypatch):
    asked = []

    class Recorded(Synthesizer):
        def __init__(self, model, device, weights, **options):
            asked.append(device)
            super().__init__(model, device, weights, **options)

    monkeypatch.setattr(worker, "Synthesizer", Recorded)
    Speaking(BenchmarkJob("starter", None, 1, device="metal"))
    assert asked == ["metal"]


def test_a_request_is_timed_until_its_first_audio():
    answer = Speaking(BenchmarkJob("starter", None, 1)).answer(SPEAK, {"text": "Hi."})
    assert answer["seconds_to_first_audio"] > 0


def test_a_job_comes_back_from_its_folder(tmp_path):
    job = BenchmarkJob("kokoro-82m", "random:3", 2)
    job.save(tmp_path)
    assert BenchmarkJob.load(tmp_path) == job
    assert BenchmarkJob.load(tmp_path).config == model_config("kokoro-82m")
