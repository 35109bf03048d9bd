"""The published model and its hub, as the model store's own tests have them."""

from tests.engine.model_store.conftest import hub, models, published

__all__ = ["hub", "models", "published"]
