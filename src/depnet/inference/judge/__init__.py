"""How good a model is, and what it finds surprising.

In reading order:

- `nearness`: 1- and 2-way marginals of rows and of a table, beside what chance alone gives;
- `quality`: drawn rows in the words that people buy by, of `tables` as arrays: `resemblance` of columns and pairs, `closest`
  rows and guesses, and what `boosters` learn;
- `compare`: two models, or a model and a table, side by side;
- `shifts`: how far evidence moves every variable; two variables together, and what either tells of the other;
- `influence`, `measure`: what would move a target, one more fact at a time, and what rows say of it;
- `cells`: the tail masses of cells, given the rest of their rows; the scores of a table's rows, and its rows as they are
  listed;
- `apart`: the tail mass of how far a row is from a table's;
- `odd`: the reasons of odd rows; `nearest`: the rows of a table that are most like one.
"""
