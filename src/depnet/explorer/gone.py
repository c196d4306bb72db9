"""Pages for what is not there: a model that has left the memory, an address that is none."""

from html import escape

from starlette.responses import HTMLResponse

from depnet.explorer.frame import STYLES

GONE = (
    "This model is gone",
    (
        "It was learned from a dropped table and kept in memory only: until depnet explore was ended, or until other tables "
        "had been learned after it. Drop the table again, or open a model file that you have downloaded: depnet explore "
        "model.json."
    ),
)
UNKNOWN = ("There is no such page", "The address may be misspelt, or of another version of depnet.")


def missing_page(said: tuple[str, str], dark: str | None, *, has_model: bool) -> HTMLResponse:
    """A page that says so, and where to go from it; `dark` is what the reader's cookie says."""
    title, text = said
    links = [("/", "The model that is open")] if has_model else []
    links.append(("/fit", "Drop a table"))
    listed = " · ".join(f'<a href="{path}">{escape(name)}</a>' for path, name in links)
    styles = "".join(f'<link rel="stylesheet" href="{style}">' for style in STYLES)
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · depnet</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{styles}</head>'
        f'<body class="{"body--dark" if dark == "1" else "body--light"}"><main class="depnet-main">'
        f'<section class="depnet-card"><h1 class="depnet-heading">{escape(title)}</h1><p>{escape(text)}</p>'
        f"<p>{listed}</p></section></main></body></html>",
        status_code=404,
    )
