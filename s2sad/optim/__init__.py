"""First-order optimisers as pure functions over parameter structures."""

from .optimisers import (
    AdamState,
    MomentumState,
    RmspropState,
    SgdState,
    adam,
    adam_init,
    momentum,
    momentum_init,
    rmsprop,
    rmsprop_init,
    sgd,
    sgd_init,
)
from .structure import StructureError, map_structure, map_structure_with_path

__all__ = [
    "AdamState",
    "MomentumState",
    "RmspropState",
    "SgdState",
    "StructureError",
    "adam",
    "adam_init",
    "map_structure",
    "map_structure_with_path",
    "momentum",
    "momentum_init",
    "rmsprop",
    "rmsprop_init",
    "sgd",
    "sgd_init",
]
