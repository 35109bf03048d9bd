"""The published models and the hub, as the model store's own tests have them."""

from tests.engine.models.conftest import all_packaged, hub, models, packaged, published, resources

__all__ = ["all_packaged", "hub", "models", "packaged", "published", "resources"]
