"""Variables, domains and tables of codes; frames and files in and out.

binning  numbers, dates and moments as states: where columns are cut
table    variables, tables of codes with and without holes, and the road from any table to these
frames   from codes back to frames
files    tables in CSV, TSV, JSON lines, Parquet and Excel files, in bounded memory
titanic  a small table to try things on
"""

from depnet.data.binning.bins import Bins as Bins
from depnet.data.frames.decode import decode as decode
from depnet.data.frames.decode import fill as fill
from depnet.data.table.columns import Layout as Layout
from depnet.data.table.dataset import Dataset as Dataset
from depnet.data.table.dataset import Holed as Holed
from depnet.data.table.encode import describe as describe
from depnet.data.table.encode import encode as encode
from depnet.data.table.variable import Domain as Domain
from depnet.data.table.variable import Label as Label
from depnet.data.table.variable import Variable as Variable
from depnet.data.titanic import titanic as titanic
