"""The most probable completion of evidence: the mode of an ordered law, or of a chain's law where that is small.

The mode of Q(. | x_C) is found by elimination with maxima where that is small (`depnet.law.mode`), else the best state that
a search found is given, and marked so. A chain's law has no such search: what its tables say of a state is not how
probable the state is.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from depnet.arrays import IntArray
from depnet.checks import generator
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.variable import Label
from depnet.errors import DomainTooLargeError, EvidenceError
from depnet.inference.clamped.relevance import reduce
from depnet.inference.clamped.solved import exact_law
from depnet.law.mode import most_probable_state, searched_state
from depnet.model.evidence import Evidence, Given
from depnet.model.network import Network
from depnet.model.scan import RandomScan, Scan, checked_scan
from depnet.model.score import score_samples
