"""Learning a network from rows (Sec. 4): the information source of each node, and its table.

The paper, in reading order:

- `learn`: the whole network from a table;
- `cost`: R(k, N), what complexity costs; the cost of a source, and how an operation changes it;
- `framework`: tables for given sources (Theorem 4); Algorithm 3 with any way of making candidates, in Python;
- `certificate`: how far a network's law is from the data, and where Theorem 3 holds.

How it is done:

- `rows`: distinct rows, and rows held out;
- `options`, `order`: what is learned, as one value, and the nodes that it means; the order "auto";
- `grow`: nodes grown by splits and merges; `cuts`: splits of variables with an order at a cut;
- `auto`: the penalty and smoothing, chosen by held-out rows, and columns of many states that repeat each other;
- `boost`: nodes that add up the scores of many small graphs, stage by stage;
- `choose`: which of these ways held-out rows choose for each node, and how many stages;
- `linear`: the linear first guess of a number, from which its digits are boosted;
- `words`: words of digits whose vertices are asked one by one;
- `mixture`: the same rows learned in several orders; `classes`: a hidden class that all nodes may read;
- `distil`: graphs of a law that a boosted law, of words of digits, has taught;
- `constraints`: orders and sums that every row of a table keeps;
- `within`: where numbers lie in their bins, given those before them;
- `forest`: trees of values, beside the networks of the imputer; how good the law of a number is;
- `limits`: from which rows and columns, and by which way: the constants that decide it;
- `links`: what each variable tells of others, from rows or from counts.
"""
