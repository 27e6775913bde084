"""Templates: views as HTML, in which all text is escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("noughts.web", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return made


def render(template: str, /, **values: object) -> str:
    """A template of `pages/`, filled with these values."""
    return _environment().get_template(f"pages/{template}").render(values)
