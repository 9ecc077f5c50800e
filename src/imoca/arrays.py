"""The one array type of the package: float64 throughout."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "BoolArray", "IntArray"]

Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
