"""Which way an answer takes, and when drawing stops: every constant that decides it for `law`, `sampling` and `inference`.

What users say themselves, a tolerance or seconds, has its default beside the argument. How many rows a loop takes at once,
where that changes neither answer nor way, is said beside the loop.

The benchmark that would show the effect of each is named (`python -m benchmarks NAME`), none where there is none.
"""

# Exact, or drawn?

LARGEST = 1 << 20
"""Cells of a table that is written out whole: a factor or cluster of an elimination, a joint law whose cells are weighed one
by one, the moves of a chain that are searched for recurrent classes. Larger ones are not made (query)."""
MOST_CELLS = 1 << 24
"""Cells of all clusters of an elimination: about half a second. More are drawn instead (query)."""
QUICK_CELLS = 1 << 16
"""A table or an elimination of no more cells is quicker than any draws, and is always made: for a question, for a row with
holes, for a bound on weights; a factor of no more is kept with the network (latency, impute)."""
ROW_CELLS = 1 << 20
"""An elimination of no more cells is made for a row with holes: hundredths of a second, where replicas that are moved take
tenths, and may not settle (impute)."""
CLUSTER_CELLS = 1 << 10
"""A cluster of an elimination takes about as long as this many cells more than it has. It matters where an elimination
is made again for each state of a target (none)."""
EXACT_STATES = 1 << 14
"""Joint states of a closure whose stationary law is solved; larger ones are sampled by chains (query)."""
ROW_STATES = 1 << 12
"""The same of the holes of a row, of which there are many: they are summed over, or solved, one by one (impute)."""
ORDERS = 8
"""Up to this many facts are explained by all sets of them, 256 questions; more by this many orders and their reverses
(none)."""

# How many draws?

FIRST_DRAWS = 1 << 11
"""Drawn before the first look at errors. A row with holes has no more replicas (latency, impute)."""
MOST_DRAWS = 1 << 21
"""Where no time is given, drawing ends here: a few seconds. Passes that would need more and are uneven are moved (query)."""
PIECE_DRAWS = 1 << 20
"""The same of a piece of rows given evidence, of which there may be many (none)."""
ROW_DRAWS = 1 << 14
"""The same of the probability of one row with holes, of which there are many (none)."""
ROW_UPDATES = 1 << 22
"""Updates of passes that are made for the holes of a row before replicas are: some tenths of a second (impute)."""
LOG_ERROR = 0.05
"""The standard error of the log-probability of such a row at which its passes end (none)."""
MOST_UPDATES = 1 << 28
"""Where no time is given, an answer takes no more updates than this: some ten seconds (query)."""
UNEVEN = 50.0
"""Where this many weighted passes are worth one without weights, they are resampled and moved instead (rare)."""
CANDIDATES = 4
"""Passes, by their weights worth so many, for each state that is resampled from them (impute)."""
CAUTION = 1.1
"""Errors of passes are taken larger by this factor, since passes end when the errors that they estimate themselves are
small; and so many times what the last error says is needed is drawn (query)."""
UNASKED = 0.5
"""The share with which errors count of laws within bins that nobody asked for (latency)."""
BATCHES = 32
"""Independent parts between which errors are found, and the fewest replicas of a row (query, impute)."""
PASS_BATCHES = 256
"""The same of passes without moves, where more parts cost nothing: of fewer, errors are too often too small (query)."""

# How long do chains and moves run?

CHAINS = 64
"""Chains of a question, and of the pilot run that measures mixing; and states that a batch moves at first, which its passes
are worth at least (query, sample)."""
FEWEST_CHAINS = 8
"""Chains or batches where more would take too much memory or time: of rows with holes, of which there are many, of very
large tables and networks (sample, query)."""
MOST_CHAINS = 4096
"""Chains that rows are recorded of, where no number is given (sample)."""
FIRST_SWEEPS = 8
"""Sweeps of a first round of chains (`ROUNDS` of them), of replicas, and of moved states (query, impute, sample)."""
MOST_SWEEPS = 4096
"""Sweeps of a round of replicas, and of a pilot, after which they are told not to mix (impute, sample)."""
ROUNDS = 16
"""Rounds that the averages of chains are kept of, the first quarter being burn-in (query)."""
R_HAT = 1.05
"""Chains whose R-hat is above it have not met (query)."""
R_HAT_REPLICAS = 1.2
"""The same of replicas of a row, over their cells together: they start in proportion to weights (impute)."""
R_HAT_MARGIN = 3.0
"""Means of D draws vary by tau / D of the draws' variance, so R-hat is about sqrt(1 + tau / D); this many times
that share is taken to mean that chains differ for good, as those of a chain that goes round in a circle do (sample)."""
FALSE_DRIFT = 0.02
"""The share of settled questions whose chains are taken to drift, and run on (query)."""
STALLED_DOUBLINGS = 5
"""After this many doublings without a smaller error, the chains are taken not to mix at all (query)."""
LONGER = 10
"""Autocorrelation times after which a chain has forgotten its start, and that a pilot lasts at least (sample)."""
THIN = 2
"""Sweeps between two completions of a row: its chains are not measured, and this is taken as their autocorrelation time
(none)."""
MOST_GROUPS = 64
"""Groups of neighbouring states that a variable of more states is looked at in (sample)."""

# How much at once?

CELLS_AT_ONCE = 1 << 22
"""Numbers that are held at once where work is done in pieces: memory does not grow with rows or draws (impute)."""
THREAD_CELLS = 1 << 18
"""Updates that are worth a second thread (none: they run on one)."""
