"""The published models and the hub, shared with the model store's own tests."""

from tests.engine.models.conftest import all_packaged, hub, models, packaged, published, resources

__all__ = ["all_packaged", "hub", "models", "packaged", "published", "resources"]
