"""A page of a browser as SVG: boxes, lines of text and drawings at the places where the browser has put them.

The text stays text, in the reader's own font, so the picture is sharp at every size and a test can read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from tests.pages.engines import Engine

Part = Mapping[str, Any]
"""One box, line of text or drawing."""

_WALK: Final = """
const [phone] = arguments;
const page = phone === null ? document : document.querySelectorAll("iframe")[phone].contentDocument;
const view = page.defaultView, near = (value) => Math.round(value * 10) / 10;
let parts = [];
const seen = (colour) => colour && !/rgba\\(.*, 0\\)|transparent/.test(colour);
const canvas = page.createElement("canvas").getContext("2d");
function ascent(style) {
  canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  return canvas.measureText("x").fontBoundingBoxAscent;
}
const inside = (part, at) => (part.left ?? part.x) >= at.x && (part.right ?? part.x + part.w) <= at.x + at.width &&
  (part.top ?? part.y) >= at.y && (part.is === "text" ? part.y : part.y + part.h) <= at.y + at.height;
function box(node, style, at) {
  if (node === page.documentElement) at = { x: 0, y: 0, width: view.innerWidth, height: view.innerHeight };
  const line = parseFloat(style.borderRightWidth), left = parseFloat(style.borderLeftWidth);
  const fill = seen(style.backgroundColor) ? style.backgroundColor : "";
  if (fill) parts = parts.filter((part) => !inside(part, at));  // it covers them
  const dash = style.borderRightStyle === "dashed", round = parseFloat(style.borderTopLeftRadius);
  const add = (x, y, w, h, look) => parts.push({ is: "box", x: near(x), y: near(y), w: near(w), h: near(h), ...look });
  const border = { fill, line: line ? style.borderRightColor : "", wide: line, dash, round };
  if (fill || line) add(at.x + line / 2, at.y + line / 2, at.width - line, at.height - line, border);
  else if (left) add(at.x, at.y, left, at.height, { ...border, fill: style.borderLeftColor, round: 0 });
}
function text(node, style) {
  const size = near(parseFloat(style.fontSize)), weight = style.fontWeight, fill = style.color, high = ascent(style);
  const range = page.createRange(), middle = style.textAlign === "center" || parseFloat(style.borderRightWidth) > 0;
  let line = null;
  for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
    range.setStart(node, index); range.setEnd(node, index + word.length);
    const at = range.getBoundingClientRect();
    if (line && Math.abs(line.top - at.top) < 2) { line.text += " " + word; line.right = at.right; continue; }
    line = { is: "text", text: word, top: at.top, left: at.left, right: at.right };
    parts.push(Object.assign(line, { y: near(at.top + high), middle, size, weight, fill }));
  }
}
function drawing(node, at) {
  const shapes = [...node.children].map((shape) => {
    const style = view.getComputedStyle(shape), own = [...shape.attributes].filter(({ name }) => name !== "class");
    return { tag: shape.localName, fill: style.fill, line: style.stroke, wide: style.strokeWidth,
      own: Object.fromEntries(own.map(({ name, value }) => [name, value])) };
  });
  parts.push({ is: "drawing", x: near(at.x), y: near(at.y), w: near(at.width), h: near(at.height),
    view: node.getAttribute("viewBox"), shapes });
}
const level = (node) => (node.nodeType === 1 && parseInt(view.getComputedStyle(node).zIndex)) || 0;
(function walk(node) {
  if (node.nodeType === 3) return text(node, view.getComputedStyle(node.parentElement));
  if (node.nodeType !== 1) return;
  const style = view.getComputedStyle(node), at = node.getBoundingClientRect();
  if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0" || !at.width) return;
  if (style.clipPath !== "none") return;
  if (node.localName === "svg") return drawing(node, at);
  box(node, style, at);
  [...node.childNodes].sort((one, other) => level(one) - level(other)).forEach(walk);
})(page.documentElement);
return { width: view.innerWidth, height: view.innerHeight, parts };
"""


def read_parts(browser: Engine, phone: int | None = None) -> tuple[float, float, Sequence[Part]]:
    """Return the width and height of a page, and what is seen on it; `phone`: of the demo's page, this phone's."""
    page = browser.run(_WALK, phone)
    width, height = float(page["width"]), float(page["height"])
    return width, height, [part for part in page["parts"] if part.get("y", part.get("top")) < height]


def write_parts(parts: Sequence[Part]) -> str:
    """The parts as elements of an SVG, in CSS pixels."""
    return "".join({"box": _box, "text": _text, "drawing": _drawing}[part["is"]](part) for part in parts)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _at(part: Part) -> str:
    return " ".join(
        f'{name}="{_number(part[key])}"' for name, key in zip(("x", "y", "width", "height"), "xywh", strict=True)
    )


def _box(part: Part) -> str:
    look = f' fill="{hexed(part["fill"]) if part["fill"] else "none"}"'
    if part["line"]:
        look += f' stroke="{hexed(part["line"])}"'
        look += f' stroke-width="{_number(part["wide"])}"' if part["wide"] != 1 else ""
        look += ' stroke-dasharray="4 3"' if part["dash"] else ""
    round_ = f' rx="{_number(part["round"])}"' if part["round"] else ""
    return f"<rect {_at(part)}{round_}{look}/>"


def _text(part: Part) -> str:
    middle = part["middle"]
    x = (part["left"] + part["right"]) / 2 if middle else part["left"]
    look = ' text-anchor="middle"' if middle else ""
    look += ' font-weight="600"' if int(part["weight"]) >= 600 else ""
    place = f'x="{_number(x)}" y="{_number(part["y"])}" font-size="{_number(part["size"])}"'
    return f'<text {place} fill="{hexed(part["fill"])}"{look}>{escape(part["text"])}</text>'


def _drawing(part: Part) -> str:
    shapes = "".join(
        f"<{shape['tag']}"
        + "".join(f' {name}="{escape(value)}"' for name, value in shape["own"].items())
        + f' fill="{hexed(shape["fill"])}"'
        + (f' stroke="{hexed(shape["line"])}" stroke-width="{shape["wide"]}"' if shape["line"] != "none" else "")
        + "/>"
        for shape in part["shapes"]
    )
    return f'<svg {_at(part)} viewBox="{part["view"]}">{shapes}</svg>'


def hexed(colour: str) -> str:
    """`rgb(1, 2, 3)` as SVG writes it shortest."""
    if not colour.startswith("rgb("):
        return colour
    return "#" + "".join(f"{int(number):02x}" for number in colour[4:-1].split(","))
