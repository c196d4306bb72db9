"""Answers of an ordered network's law, Q(x) = product over i of theta_i(x_i | Y_i(x)).

In reading order, for one question:

- `codes`: of one network, exact by elimination where that is small, else by passes;
- `weighted`: weighted passes, and passes that are resampled and moved where weights are too uneven;
- `sums`: what weighted draws say, and how sure that is;
- `levels`: where in their bins numbers lie, and evidence that cuts bins, by drawn rows;
- `events`: what is known of, or asked about, several variables together;
- `groups`: the same question for many groups at once;
- `mixture`: the same of a mixture of ordered networks, component by component;
- `answer`: of either, with numbers within their bins;
- `targets`: a target beside every other variable at once, exactly or by draws.

And for many rows with holes:

- `items`: what holes depend on, sums over their joint states, the log-probability of what is observed;
- `rows`: their answers and joint draws, by sums, by elimination, or by replicas that are moved.
"""
