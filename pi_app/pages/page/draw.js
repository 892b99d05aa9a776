// What a picture looks like: elements from the parts of a frame. Nothing here remembers anything. This and the symbols
// are a script of their own at the end of the page, so that the phone joins while they are still on their way.
"use strict";

function svg(size, shapes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("viewBox", size);
  for (const [tag, name, attributes] of shapes) {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", tag);
    if (name) shape.setAttribute("class", name);
    for (const key in attributes) shape.setAttribute(key, attributes[key]);
    made.append(shape);
  }
  return made;
}

// `SYMBOLS` writes a polygon as p with its points, an ellipse as e with centre and half axes; a capital cuts a hole.
function symbol(name) {
  const parts = (SYMBOLS[name] || SYMBOLS.other).match(/[pe][^pe]+/gi);
  return svg("0 0 28 28", parts.map((part) => {
    const [cx, cy, rx, ry] = part.slice(1).split(" "), hole = part[0] < "a" ? "hole" : "";
    return /p/i.test(part) ? ["polygon", hole, { points: part.slice(1) }] : ["ellipse", hole, { cx, cy, rx, ry }];
  }));
}

// Five flashes of a lamp: long and short bars.
const lampBars = (pattern) => el("span", "lamp", ...pattern.map((long) => el("i", long ? "long" : "")));

const lines = (texts) => texts.map((text) => el("p", "", text));

// The elements of a picture: face, die, card, or neutral lines.
function drawn(picture) {
  const label = [picture.label, picture.page].filter(Boolean).map((text) => el("small", "", text));
  if (picture.kind === "face") return [
    el("div", "name", symbol(picture.symbol), el("div", "", ...label, el("b", "", picture.title || ""))),
    el("div", "figures", ...lines(picture.lines || [])),
    el("p", "effect", picture.effect || ""),
    ...(picture.marks || []).length ? [el("p", "marks", ...picture.marks.map((mark) => el("span", "", mark)))] : [],
    ...(picture.lamp || []).length ? [lampBars(picture.lamp)] : [],
  ];
  if (picture.kind === "card") return [
    el("div", "name", el("div", "", ...label, el("b", "", picture.title || ""))),
    ...(picture.rows || []).map(([pattern, text]) => el("div", "row", lampBars(pattern), el("span", "", text))),
  ];
  // A neutral sentence was broken into lines for a small screen; here it flows.
  const texts = picture.lines || [];
  return [...label, el("div", picture.kind, ...lines(picture.kind === "say" ? [texts.join(" ")] : texts))];
}

// The same as a text, for a player who asked for "read to me".
function spoken(picture) {
  const rows = (picture.rows || []).map(([pattern, text]) => `${pattern.map((long) => (long ? "–" : "·")).join("")} ${text}`);
  return [picture.label, picture.title, ...(picture.lines || []), picture.effect, ...rows].filter(Boolean).join(". ");
}

// A QR code from its modules: rows one after the other, each bit a module.
function drawnQr({ size, rows }) {
  const bits = fromBase64(rows), n = size;
  let path = "";
  for (let i = 0; i < n * n; i++) {
    if (bits[i >> 3] & (128 >> (i & 7))) path += `M${i % n} ${Math.floor(i / n)}h1v1h-1z`;
  }
  const made = svg(`-4 -4 ${n + 8} ${n + 8}`, [
    ["rect", "paper", { x: -4, y: -4, width: n + 8, height: n + 8 }], ["path", "ink", { d: path }],
  ]);
  made.setAttribute("role", "img");
  made.setAttribute("shape-rendering", "crispEdges");
  return made;
}
