"""Tables of codes, and what their codes mean.

variable     a variable: its name, its states, its bins
state_order  the order of states, and the state of missing values
domain       all variables: the joint domain
cells        the cells of a table as people read them
values       the numbers of a table as they came
row_levels   the levels of the numbers of some rows
dataset      a complete table of codes
holed        a table of codes with holes
layout       what a frame looked like, so that frames like it can be given back
"""
