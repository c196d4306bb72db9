"""What a table is, and the road from any table to its codes.

limits      which way a column takes, and how much is held at once: the constants of `data` that decide it
variable    a variable: its name, its states, its bins; all variables: the joint domain
weights     repetitions; survey weights, scaled to Kish's effective number, in fixed point
codes       what a table of codes must be, and which cell is not
dataset     tables of codes, with and without holes
values      the numbers of a table as they came
cells       the cells of a table as people read them
columns     a column, whatever it came from: labels by their places, the rest as numbers; what a frame looked like
kinds       what a column is said to be
variables   from what a column holds to its variable
left_out    columns that nothing can be learned from
mixed       columns that are text because of a few values
open        a table of any kind, column by column; files are one more kind
encode      from a table to its domain, and columns to codes of a domain
"""
