"""The explorer: a page where a network is seen and asked. `depnet explore model.json` opens it (extra `explore`).

A face: it parses, calls, and shows. What it shows is computed in `pictures`, `inference`, `learning` and `geometry`.

`app` builds the pages of all views (`views`) inside one frame (`frame`) and serves them behind a guard (`guard`). A
view is a module `..._view` with `TITLE`, `PATH`, `NEEDS_MODEL` and `build(session)`; its `Session` belongs to one
open page and holds what that reader does, and a `Loaded` model is shared by all and never changed.

Labels are whatever a table held, so they are only ever shown as text: never in `ui.html` or `ui.markdown`, never as
a key of chart options (NiceGUI runs the value of a key that begins with a colon), and never in a chart's tooltip but
as rich text, as `parts.chart` sees to.
"""
