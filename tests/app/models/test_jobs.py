from app.models.jobs import ModelJob, Task


def test_every_job_can_be_stopped_on_its_own() -> None:
    one, other = ModelJob(Task.FETCH, "a"), ModelJob(Task.FETCH, "a")
    one.cancel.set()
    assert one == other
    assert not other.cancel.is_set()
