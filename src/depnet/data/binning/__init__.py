"""Numbers, dates, moments and durations as states.

bins         a partition of the numbers, with labels, and values to draw
levels       the values that bins keep, as finer codes
calendar     dates and moments as whole numbers
durations    durations as whole numbers, and as text
ranked       a column by its ranks: all that cutting asks for, of an array or a cluster
round_edges  edges that people can read
cut          quantile bins, and bins at given edges
tails        how far out a number lies, also beyond all that were seen
mixture      numbers from the probabilities of bins: means, quantiles, one number for a hole
"""
