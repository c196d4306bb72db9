"""Numbers, dates, moments and durations as states.

times   dates, moments and durations as whole numbers, and as text
forms   money, percentages, dates as people write them and times of day: numbers that are text
bins    a partition of the numbers, with labels, and values to draw
levels  the values that bins keep: as finer codes, and as the law of a number: means, quantiles, one number for a hole
cut     quantile bins, and bins at given edges that people can read, from a column by its ranks
tails   how far out a number lies, also beyond all that were seen
"""
