"""Checks that any calibrator and any measure can be put through, ours or another package's.

Each check is a promise of a calibrator or of a measure, tried on small samples that are always the
same. A failure names the check, the expected and the actual result, and the input, ready to be
pasted. Slow exact references, the definitions written out, are in `calibkit.testing.references`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
