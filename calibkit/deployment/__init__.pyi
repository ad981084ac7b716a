from .inverse_maps import ScoresAt as ScoresAt
from .inverse_maps import scores_at as scores_at
from .stored_maps import load_map as load_map
