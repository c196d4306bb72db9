"""The explorer: a page where a network is seen and asked. `depnet explore model.json` opens it (extra `explore`).

A face: it parses, calls, and shows. What it shows is computed in `pictures`, `inference`, `fitting` and `geometry`. In
reading order:

- `app`: the pages of all views and the server that shows them, behind the guard of `depnet.doors`;
- `loaded`, `session`: a model, shared by all and never changed; what belongs to one open page, and its threads;
- `state` with `known`: what the reader looks at, across all views, as the address of the page has it. Views show the state
  (`Session.on_change`) and ask for another (`Session.change`); Back and Forward do the same;
- `frame` and `parts`: the frame around every view, and the parts that views are made of; `cards` and `histogram` with
  `static/bars.js`: the bars of a variable, in Explore and Network alike; `share`: what a view shows, to
  take along; `copyable`: a question as a command line and as Python;
- `explore_view` with `ask` (the question), `ask_cards` (the answer), `summary`, `why`, `guesses` and `questions`;
  `target_view` with `target`, `target_lists` and `segments`; `pair_view` with `pair`; `rules_view` with `network_view` as
  its second tab; `rows_view` with `rows`; `fit_view` with `fit`: a view has `TITLE`, `PATH`, `NEEDS_MODEL` and
  `build(session)`.

Labels are whatever a table held, so they are only ever shown as text: never in `ui.html` or `ui.markdown`, never as
a key of properties (NiceGUI runs the value of a key that begins with a colon), never in a tooltip but as rich text. The one
markup that is shown as such is the SVG of `pictures.node`, which escapes every label.
"""
