"""Answers of an ordered network's law, Q(x) = product over i of theta_i(x_i | Y_i(x)).

In reading order, for one question:

- `answer`: exact by elimination where that is small, else by passes;
- `weighted`, `tails`: weighted passes, and how far a few of them decide;
- `moved`: passes that are resampled and moved, where weights are too uneven;
- `levels`: where in their bins numbers lie, and evidence that cuts bins, by drawn rows;
- `target_tables`, `target_draws`: a target beside every other variable at once, exactly or by draws.

And for many rows with holes:

- `rows`: their answers and joint draws, by sums, by elimination or by replicas;
- `items`: what holes depend on, and sums over their joint states;
- `row_elimination`: the elimination of single rows;
- `row_passes`, `replicas`: passes through the holes, and states that start there and are moved;
- `log_observed`: the log-probability of what is observed.
"""
