"""The explorer: a page where a network is seen and asked. `depnet explore model.json` opens it (extra `explore`).

A face: it parses, calls, and shows. What it shows is computed in `pictures`, `inference`, `fitting` and `geometry`. In
reading order:

- `app`: the pages of all views and the server that shows them; `guard` lets in only what comes from its own pages,
  `deadlines` ends what comes too slowly, `log` keeps the terminal short, `gone` says what is not there;
- `loaded`, `session`, `workers`: a model, shared by all and never changed; what belongs to one open page; its threads;
- `state` with `known`: what the reader looks at, across all views, as the address of the page has it. Views show the state
  (`Session.on_change`) and ask for another (`Session.change`); Back and Forward do the same;
- `frame` with `evidence_bar`, `parts`, `long_list`, `component`: the frame around every view, and the parts that views
  are made of;
- `overview_view` with `columns` and `questions`; `network_view` with `network_answers`;
  `ask_view` with `ask` (the question), `ask_cards` with `cards` and `bars` (the answer), `ask_notes` with
  `answer_words`; `target_view` with `target`, `tornado` and `target_lists`; `compare_view` with `differences`;
  `node_view` with `node_graph`, `node_charts`, `boosted_view` and the elements `decision_picture` and `share_bars`;
  `rows_view` with `row_editor` and `rows`; `theory_view` with `two_tables` and
  `theory_walk`, `simplex_figure`; `fit_view` with `fit`: a view has `TITLE`, `PATH`, `NEEDS_MODEL` and `build(session)`;
- `copyable`: questions to copy, that leave the page.

Labels are whatever a table held, so they are only ever shown as text: never in `ui.html` or `ui.markdown`, never as
a key of chart options (NiceGUI runs the value of a key that begins with a colon), and never in a chart's tooltip but
as rich text, as `parts.chart` sees to.
"""
