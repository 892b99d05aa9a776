// The demo's page. Its address is /demo#KEY; the code of seat n is KEY with its first letter replaced by letter n of
// base32. The codes stay in this browser: the page process never gets the part of an address behind the #.
"use strict";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MOST_PHONES = 4;  // a browser keeps six connections to one address: four streams, one hand, one look at the table
const ASK_MS = 150;
const SVG = "http://www.w3.org/2000/svg";
const key = location.hash.slice(1).toUpperCase();
const good = /^[A-Z2-7]{26}$/.test(key);

const $ = (id) => document.getElementById(id);

function el(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const each in attributes) made.setAttribute(each, attributes[each]);
  made.append(...children);
  return made;
}

function put(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

// --- phones ----------------------------------------------------------------------------------------------------------

// A frame's name is the place where its page keeps its keys. Another demo has another key, so other places.
const placeOf = (number) => " demo " + key.slice(-8) + number;

function forgetOtherDemos() {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith("trapdial demo ") && !name.includes(key.slice(-8))) localStorage.removeItem(name);
  }
}

function hasSeat(number) {
  try { return Object.keys(JSON.parse(localStorage.getItem("trapdial" + placeOf(number))).seats).length > 0; } catch { return false; }
}

function frame(number, seat, scans) {
  const made = el("iframe");
  made.name = placeOf(number);
  made.title = seat.name + "'s phone";
  // A phone has no scrollbar beside its page.
  made.onload = () => { if (made.contentDocument) made.contentDocument.documentElement.style.scrollbarWidth = "none"; };
  made.src = scans ? "./#" + LETTERS[number] + key.slice(1) : "./";
  return made;
}

// Each phone joins once a game; after a reload of this page it comes back without a scan.
let game = null;

function showPhones(table) {
  if (!good || table.robots || table.game === game) return;
  let before = null;
  try { before = localStorage.getItem("trapdial demo game " + key.slice(-8)); } catch { /* private browsing */ }
  try { localStorage.setItem("trapdial demo game " + key.slice(-8), table.game); } catch { /* private browsing */ }
  game = table.game;
  $("phones").replaceChildren(...table.seats.slice(0, MOST_PHONES).map((seat, number) => {
    const again = el("button", "Scan again"), head = el("h2", "", el("span", seat.name + "'s phone"), again);
    const glass = el("div", "", frame(number, seat, before !== table.game || !hasSeat(number))), phone = el("div", "", head, glass);
    glass.className = "glass";
    phone.className = "phone";
    again.type = "button";
    again.title = "Take this seat with another phone, as after a scan of " + seat.name + "'s card";
    again.onclick = () => {
      localStorage.removeItem("trapdial" + placeOf(number));
      glass.replaceChildren(frame(number, seat, true));
    };
    return phone;
  }));
}

// What passers-by see of a station.
function showDisplay() {
  if ($("display")) return;
  document.body.className = "station";
  const made = el("iframe");
  Object.assign(made, { id: "display", title: "The public display", src: "./public" });
  document.querySelector("main").prepend(made);
}

// The steps name the buttons of the first phone in its own language, as they are before a finger comes.
function nameButtons() {
  const phone = $("phones").querySelector("iframe")?.contentWindow;
  if (!phone?.ui || phone.document.getElementById("keys").hidden) return;
  for (const step of ["my-turn", "visit-turn"]) put($(step), phone.ui("turn"));
  for (const step of ["look", "visit-look", "visit-see"]) put($(step), phone.ui("hold"));
}

// --- squares ---------------------------------------------------------------------------------------------------------

const squares = new Map();

function turn(square, clicks) {
  fetch("demo/hand", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ square, clicks }),
  }).catch(() => {});
}

function dial(clicks) {
  const ticks = [...Array(clicks).keys()].map((n) => svg("line", {
    class: "tick", x1: 50, y1: 19, x2: 50, y2: n ? 24 : 30, transform: `rotate(${(360 / clicks) * n} 50 50)`,
  }));
  const turns = svg("g", { class: "turns" }, svg("circle", { class: "disc", cx: 50, cy: 50, r: 36 }), ...ticks,
    svg("path", { class: "notch", d: "M50 34l6 10H44z" }), svg("rect", { class: "notch", x: 32, y: 47, width: 36, height: 6, rx: 3 }));
  const picture = svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
    svg("rect", { class: "rim", x: 2, y: 2, width: 96, height: 96, rx: 10 }), turns, svg("path", { class: "start", d: "M43 3h14L50 14z" }));
  return { picture, turns };
}

const counted = (count) => `${count} ${Math.abs(count) === 1 ? "click" : "clicks"}`;

// At a table the page rolls. At a station the table does, and tells the number on the phone alone.
function newSquare({ label, clicks }, station) {
  const { picture, turns } = dial(clicks), where = el("p"), keys = el("div");
  const made = { turns, where, rolled: 0, turned: 0, ahead: [] };
  const key = (name, spoken, does) => {
    const button = el("button", name);
    button.type = "button";
    button.setAttribute("aria-label", `${label}: ${spoken}`);
    button.onclick = () => { made.rolled = 0; does(); };
    keys.append(button);
    return button;
  };
  if (station) {
    keys.className = "six";
    made.ahead = [1, 2, 3, 4, 5, 6].map((count) => key(String(count), counted(count), () => turn(label, count)));
  } else {
    made.ahead = [
      key("Roll and turn", "Roll and turn", () => turn(label, made.rolled = 1 + Math.floor(Math.random() * 6))),
      key("1 click", "1 click", () => turn(label, 1)),
    ];
    made.ahead[0].className = "roll";
  }
  made.back = key("Back", "Back", () => turn(label, -Math.round(made.turned)));
  Object.assign(made, { keys, card: el("article", "", el("h2", label), picture, where, keys) });
  made.card.className = "square";
  return made;
}

function showSquares(table) {
  for (const each of table.squares) {
    if (!squares.has(each.label)) {
      squares.set(each.label, newSquare(each, table.station));
      $("squares").append(squares.get(each.label).card);
    }
    const square = squares.get(each.label), count = Math.round(each.turned);
    square.turned = each.turned;
    square.turns.style.transform = `rotate(${(-360 / each.clicks) * each.turned}deg)`;
    const at = count ? counted(count) : table.station ? "not turned yet" : "at its start mark";
    put(square.where, each.moving ? "turning…" : square.rolled ? `${at}, rolled ${square.rolled}` : at);
    square.keys.hidden = table.robots;
    for (const button of square.ahead) button.disabled = each.moving;
    square.back.disabled = each.moving || !count;
  }
}

// --- the table -------------------------------------------------------------------------------------------------------

async function ask() {
  try {
    const answer = await fetch("demo/table", { cache: "no-store" });
    const table = answer.ok ? await answer.json() : null;
    if (table && table.squares) {
      put($("word"), good || table.robots ? "" : "Open the address that the terminal has printed: it ends in # and 26 letters.");
      put($("watch"), table.robots ? "Robots play, each with a simulated phone of its own. You can watch the dials." : "");
      $("steps").hidden = $("more").hidden = table.robots || table.station;
      $("visit").hidden = $("visitors").hidden = !table.station;
      if (table.station) showDisplay();
      if ($("marks").childElementCount !== table.marks.length) $("marks").replaceChildren(...table.marks.map((mark) => el("span", mark)));
      showPhones(table);
      showSquares(table);
      nameButtons();
    }
  } catch {
    put($("word"), "The demo has ended. Start it again: trapdial demo --pages");
  }
  setTimeout(ask, ASK_MS);
}

if (good) forgetOtherDemos();
addEventListener("hashchange", () => location.reload());
ask();
