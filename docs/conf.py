"""Sphinx's settings for the documentation site, which `scripts/docs` builds from this folder into `site/`.

Nothing that a page needs is fetched from elsewhere: the theme brings its own files, and docutils makes formulas MathML,
which browsers draw by themselves. So the site can be read without a network, from a folder.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import depnet

project = "depnet"
author = "The depnet authors"
copyright = author  # noqa: A001  # Sphinx's name
version = release = depnet.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["conf.py"]
smartquotes = False  # what stands in quotes is code, mostly
default_role = "py:obj"  # `depnet.learn` in a docstring leads to its entry
nitpicky = False

myst_heading_anchors = 3
myst_enable_extensions = ["attrs_block"]

html_theme = "furo"
html_title = f"depnet {release}"
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_permalinks_icon = "#"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # said in words, for people; `help` shows the types
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False

# Files beside the folder that are pages here: on the site a link to one leads to its page.
BESIDE = {"../CONTRIBUTING.md": "contributing.md", "../CHANGELOG.md": "changelog.md"}


def lead_to_pages(_app: Any, _page: str, text: list[str]) -> None:
    """Links to files beside the folder become links to the pages that include them."""
    for beside, page in BESIDE.items():
        text[0] = text[0].replace(f"]({beside}", f"]({page}")


def keep_plain(_app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: outside of code and formulas the bars of |X| and the underscore of X_-i are no markup.

    Where one line explains several parameters, `p, q: ...`, the site has one for each.
    """
    plain = []
    verbatim = False  # an example, or a formula
    for line in lines:
        verbatim = bool(line.strip()) and (verbatim or line.lstrip().startswith((">>>", ".. math::")))
        if verbatim:
            plain.append(line)
            continue
        explained = re.match(r"    (\w+(?:, \w+)*): ", line)
        rest = line[explained.end() :] if explained else line
        parts = re.split(r"(`[^`]*`)", rest)
        parts[::2] = [re.sub(r"\||(?<=\w)_(?=\W|$)", r"\\\g<0>", part) for part in parts[::2]]
        text = "".join(parts)
        plain += [f"    {name}: {text}" for name in explained[1].split(", ")] if explained else [text]
    lines[:] = plain


def formula(writer: Any, node: nodes.math) -> None:
    """A formula in a line of text, as MathML."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed_formula(writer: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own, as MathML."""
    writer.body.append(f"<div class='math'>{tex2mathml(node.astext(), as_block=True)}</div>")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of the above."""
    app.connect("source-read", lead_to_pages)
    app.connect("autodoc-process-docstring", keep_plain, priority=400)  # before napoleon
    app.add_html_math_renderer("mathml", (formula, None), (displayed_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
