"""The paper's objects: information sources, conditional tables, nodes, networks, scans, evidence.

- `sources/`: information sources; `table`: conditional tables and their counts; `node`, `network`: what they make together;
  the compiled network of the native core; `model`: the networks of one table, as a fit gives and a file holds them
- `boosted`, `stages`: nodes that add up the scores of many decision graphs; those of a number, by its digits
- `scan`, `evidence`: which node is updated next, and what is known
- `spans`, `conditions`: what is known of one variable, as a range, as any value; `event`,
  `given_text`: of several together, as a value and as text, one grammar for every face
- `constraints`: what every row keeps: orders of columns, and sums
- `marginals`: what rows said of a network; `score`: how well it predicts them
- `links`: who reads whom; `mixture`: several ordered networks as one law
- `file/`: the model file
"""

from depnet.model.boosted import BoostedNode as BoostedNode
from depnet.model.evidence import Evidence as Evidence
from depnet.model.evidence import Given as Given
from depnet.model.mixture import Mixture as Mixture
from depnet.model.network import Network as Network
from depnet.model.node import Node as Node
from depnet.model.node import TableNode as TableNode
from depnet.model.scan import RandomScan as RandomScan
from depnet.model.scan import Scan as Scan
from depnet.model.scan import SequentialScan as SequentialScan
from depnet.model.sources.decision_graph import DecisionGraph as DecisionGraph
from depnet.model.sources.decision_graph import Merge as Merge
from depnet.model.sources.decision_graph import Operation as Operation
from depnet.model.sources.decision_graph import Split as Split
from depnet.model.sources.source import ConstantSource as ConstantSource
from depnet.model.sources.source import FunctionSource as FunctionSource
from depnet.model.sources.source import InformationSource as InformationSource
from depnet.model.sources.source import LosslessSource as LosslessSource
from depnet.model.sources.source import TabulatedSource as TabulatedSource
from depnet.model.table import ConditionalTable as ConditionalTable
