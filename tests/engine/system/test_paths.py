from engine.system import paths


def test_resources_are_beside_the_packages() -> None:
    assert (paths.project_folder() / "engine" / "system" / "paths.py").is_file()
    assert paths.starter_folder().parent == paths.resources_folder()


def test_built_modules_are_in_the_users_cache() -> None:
    assert paths.cache_folder() in paths.built_modules_folder().parents
    assert paths.cache_folder().name == "kokoro-desk"
