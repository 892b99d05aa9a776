// The public display: draws the scenes that the table sends, as they are. It remembers nothing and sends nothing.
"use strict";

const SILENT_MS = 10000, AGAIN_MS = 2000, LANGUAGE_MS = 9000, FADE_MS = 500, WARNING_S = 15;
const LARGEST = 64, SMALLEST = 3, PARTS = [1, 0.85, 0.7], LONG_PARTS = [1, 0.85, 0.7, 0.58, 0.48], LONG = 30;
const FACES = ["buzz_saw", "cage", "falling_weight", "fire_jets", "jaws_of_doom", "monstrous_hand", "noxious_acid_pool", "spiked_pit"];
const SIGNS = {
  concealed: "M6 4h16v20H6zM11 11q0-4 3-4t3 3.500q0 2-3 3.500v2M14 20v.1",
  exposed: "M2 14Q14 2 26 14 14 26 2 14zM14 10.500a3.500 3.500 0 1 0 .1 0",
  triggered: "M14 2v6M14 20v6M2 14h6M20 14h6M5.500 5.500l4 4M18.500 18.500l4 4M22.500 5.500l-4 4M9.500 18.500l-4 4",
  withdrawn: "M24 14H6M13 6l-8 8 8 8",
  disarmed: "M4 15l7 7L24 6",
  clear: "M4 15l7 7L24 6",
};
const $ = (id) => document.getElementById(id);
let scene = null, turn = 0, heard = 0, source = null, drawnQrOf = "", drawnProofOf = "", cap = {};

function el(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

const text = (id, words) => { $(id).textContent = words || ""; };

// A dial seen from above: twelve ticks on the rim, eight symbols in cups on the ring.
function drawDial() {
  const ticks = [...Array(24).keys()].map((n) => ["path", "", { d: `M300 12V${n % 2 ? 24 : 38}`, transform: `rotate(${n * 15} 300 300)` }]);
  $("rim").append(svg("0 0 600 600", ticks));
  const ring = svg("0 0 600 600", FACES.map((_, n) => ["circle", "cup", { cx: 300, cy: 72, r: 62, transform: `rotate(${n * 45} 300 300)` }]));
  FACES.forEach((name, n) => {
    const place = document.createElementNS("http://www.w3.org/2000/svg", "g");
    place.setAttribute("transform", `rotate(${-n * 45} 300 300) translate(258 30) scale(3)`);
    place.append(...symbol(name).children);
    ring.append(place);
  });
  $("ring").append(ring);
}

function qr(id, code, label) {
  $(id).replaceChildren(...code ? [drawnQr(code)] : []);
  if (code) $(id).firstChild.setAttribute("aria-label", label);
}

const language = () => scene.languages[turn % scene.languages.length];

function players() {
  $("players").replaceChildren(...scene.players.map((each) => el("li", each.active ? "active" : "", each.name)));
}

function flags() {
  $("flags").replaceChildren(...scene.flags.map((each) => {
    const made = el("li", each.language === scene.chosen ? "chosen" : "", el("b", "", each.name), each.says);
    made.lang = each.language;
    return made;
  }));
}

function squares(texts) {
  $("squares").replaceChildren(...scene.squares.map((each, n) => {
    const kind = each.state.split(" ")[0], sign = svg("0 0 28 28", [["path", "", { d: SIGNS[kind] || SIGNS.concealed }]]);
    sign.setAttribute("aria-hidden", "true");
    return el("li", kind, sign, el("b", "", each.label), el("span", "", texts.squares[n] || ""));
  }));
}

// In the middle of the dial: the seconds that are left, or the sign of the game. Any other number there would be read as
// the die that the visitor has rolled.
const middle = () => scene.warning_s === null ? "◈" : String(scene.warning_s);

function draw() {
  const texts = scene.texts[language()], warns = scene.warning_s !== null;
  document.documentElement.lang = language();
  const many = warns ? "" : scene.squares.length > 8 ? "many crowd" : scene.squares.length > 4 ? "many" : "";
  document.body.className = [scene.state, warns ? "warning" : "", many].filter(Boolean).join(" ");
  text("title", texts.title);
  text("step", texts.step);
  text("marks", texts.simulated);
  text("trouble", texts.trouble);
  text("lost", texts.lost);
  $("says").replaceChildren(...texts.says.map((each) => el("p", "", each)));
  $("counts").replaceChildren(...texts.counts.map(([number, word]) => el("li", "", el("b", "", String(number)), word)));
  text("window", middle());
  $("time").firstChild.style.transform = `scaleX(${warns ? scene.warning_s / WARNING_S : 1})`;
  $("join").classList.toggle("none", !scene.join);
  text("scan", texts.join[0]);
  text("wifi", texts.join[1]);
  text("address", scene.address);
  if (drawnQrOf !== scene.address) qr("qr", scene.join, scene.address);
  drawnQrOf = scene.address;
  $("proof").classList.toggle("none", !scene.proof);
  text("proofsays", texts.proof);
  if (drawnProofOf !== scene.head) qr("seal", scene.proof, texts.proof);
  drawnProofOf = scene.head;
  players();
  flags();
  squares(texts);
  fit();
}

// A box where the layout puts it, whatever moves it meanwhile: the picture drifts, and its size must not follow.
function placed(each) {
  let left = 0, top = 0;
  for (let at = each; at; at = at.offsetParent) { left += at.offsetLeft; top += at.offsetTop; }
  return { left, top, right: left + each.offsetWidth, bottom: top + each.offsetHeight };
}

const BOXES = "header, header > *, main > *, #stage > *, #trouble, h1, #says p, #counts > li, #flags > li, #squares > li, figcaption > p";
const WORDS = "header > *, h1, #says p, #counts > li, #flags > li, #squares > li, figcaption > p, #trouble";

// Whether nothing sticks out at this size.
function fits(size) {
  document.documentElement.style.fontSize = `${size}px`;
  if (document.body.classList.contains("closed")) return true;
  const main = document.querySelector("main"), room = placed(main);
  const bottom = Math.min(innerHeight, room.bottom) + 1, top = room.top - 1;
  const inside = [...document.querySelectorAll(BOXES)].every((each) => {
    const box = placed(each), within = main.contains(each) ? box.top >= top && box.bottom <= bottom : box.bottom <= innerHeight + 1;
    return !each.offsetWidth || (within && box.left >= 0 && box.right <= innerWidth);
  });
  return inside && main.scrollHeight <= main.clientHeight + 1
    && [...document.querySelectorAll(WORDS)].every((each) => each.scrollWidth <= each.clientWidth + 2);
}

// The title gives way first, a sentence more than a few words.
function titleFits(size) {
  return ($("title").textContent.length > LONG ? LONG_PARTS : PARTS).some((part) => {
    document.documentElement.style.setProperty("--part", part);
    return fits(size);
  });
}

// Then everything. What a state once needed to be smaller for stays so small until the state or the window changes:
// nothing jumps between two languages or two seconds.
function fit() {
  const now = [scene.state, scene.warning_s === null, innerWidth, innerHeight].join(" ");
  if (now !== cap.of) cap = { of: now, size: Math.min(LARGEST, innerHeight / 50, innerWidth / (innerWidth < innerHeight ? 30 : 60)) };
  if (titleFits(cap.size)) return;
  let low = SMALLEST, high = cap.size;
  for (let tries = 0; tries < 9; tries++) {
    const between = (low + high) / 2;
    if (fits(between)) low = between; else high = between;
  }
  cap.size = low;
  titleFits(low);
}

// ------------------------------------------------------------------------------------------------- what is sent

function listen() {
  source?.close();
  source = new EventSource("/public/stream");
  source.onmessage = ({ data }) => show(JSON.parse(data).scene);
  source.addEventListener("beat", () => lost(false));
  source.onerror = () => { source.close(); setTimeout(listen, AGAIN_MS); };
}

function show(next) {
  const other = !scene || next.state !== scene.state;
  scene = next;
  if (other) turn = 0;
  draw();
  lost(false);
}

function lost(gone) {
  if (!gone) heard = performance.now();
  document.body.classList.toggle("lost", gone);
}

setInterval(() => { if (scene && performance.now() - heard > SILENT_MS) lost(true); }, 1000);
setInterval(() => {
  if (!scene || scene.languages.length < 2) return;
  document.body.classList.add("turning");
  setTimeout(() => { const gone = document.body.classList.contains("lost"); turn += 1; draw(); if (gone) lost(true); }, FADE_MS);
}, LANGUAGE_MS);
addEventListener("resize", () => { if (scene) fit(); });
drawDial();
listen();
