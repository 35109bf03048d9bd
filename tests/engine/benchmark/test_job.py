from engine.benchmark.job import Job, onnx_folder, utterance_path, weights_path
from engine.model_store.checkpoints import model_config


def test_a_job_comes_back_from_its_folder(tmp_path):
    job = Job("kokoro-82m", "random:3", 2)
    job.save(tmp_path)
    assert Job.load(tmp_path) == job
    assert Job.load(tmp_path).config == model_config("kokoro-82m")


def test_files_do_not_collide(tmp_path):
    paths = {weights_path(tmp_path), onnx_folder(tmp_path), utterance_path(tmp_path, 40), utterance_path(tmp_path, 80)}
    assert len(paths) == 4
