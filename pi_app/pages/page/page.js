// The page of one phone: it joins, keeps its streams, shows public lines, and shows a secret only while it is held.
//
// Words of `ui` in a frame that this page uses (pi_app/pages/page_words.py; a missing one breaks nothing):
//   you turn take_back open hold tap_to_look connecting back lost moved over code game full disk scan
//   shade seats news squares yours settings tap_shows buzz read_to_me headphones leave sure save head record
// Before the first frame, the states are in words.js.
"use strict";

const BEAT_MS = 12000;  // no frame for so long: the stream is dead, whatever the browser believes
const AGAIN_MS = 400;  // what is not answered by then is sent once more, over another connection
const COPIES = 3;
const LIFTED_MS = 2000;  // a table that takes the finger as down so long after it was lifted is told again
const ANSWER_MS = 1500;  // a hold that is not answered by then is said to be unanswered
const TAP_MS = 4000;  // "a tap shows for 4 s"
const LONGEST_MS = 30000;  // no hold is longer: a lost finger ends here
const MOST_SEATS = 4;
const MOST_HEADS = 64;
const TAP = 1, HOLD = 2, LET_GO = 3, OPEN = 4, LEAVE = 5;

const seats = [];
let shown = null;  // the seat that the page shows
let held = null;  // the hold that is on: {seat, answered, timers}
let readAloud = false;  // never kept: asked once a game

const $ = (id) => document.getElementById(id);

// An element with a class, and a text or children.
function el(tag, name, ...inside) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inside);
  return made;
}

// --- what is kept on the phone ---------------------------------------------------------------------------------------

// {seats: {slot: {down, up, counter, number}}, heads: [], tap, buzz}. A frame of the demo has a name: its own place.
const PLACE = "trapdial" + window.name;
let memory = null;  // where the browser keeps nothing

function kept() {
  try { memory = JSON.parse(localStorage.getItem(PLACE)) || memory; } catch { /* private browsing */ }
  return Object.assign({ seats: {}, heads: [] }, memory);
}

function keep(change) {
  const all = kept();
  change(all);
  memory = all;
  try { localStorage.setItem(PLACE, JSON.stringify(all)); } catch { /* private browsing */ }
}

function keepSeat(seat) {
  const { slot, down, up } = seat.keys;
  keep((all) => {
    all.seats[base64(slot)] = { down: base64(down), up: base64(up), counter: seat.counter, number: seat.number };
  });
}

// The end of the game, another phone, leaving: the keys go, the public heads stay.
function forget(seat) {
  if (!seat.keys) return;
  const slot = base64(seat.keys.slot), mine = !elsewhere(seat);
  seat.keys = null;
  if (mine) keep((all) => { delete all.seats[slot]; });
}

// What is kept of this seat, if another tab of this browser has posted for it since.
function elsewhere(seat) {
  const other = seat.keys && kept().seats[base64(seat.keys.slot)];
  return other && other.counter > seat.counter ? other : null;
}

// A number that no post of this seat has had, here or in another tab.
function nextCounter(seat) {
  seat.counter = (elsewhere(seat) || seat).counter + 1;
  keepSeat(seat);
  return seat.counter;
}

function keepHead(head) {
  if (!head || kept().heads.slice(-1)[0] === head) return;
  keep((all) => { all.heads = [...all.heads, head].slice(-MOST_HEADS); });
}

// --- streams ---------------------------------------------------------------------------------------------------------

const newSeat = (more) => Object.assign({ counter: 0, number: 0, tries: 0, content: null, word: "connecting" }, more);

// The table takes the first copy that arrives, and none that is older than what it has.
function send(seat, kind) {
  if (!seat.keys) return;
  const body = post(seat.keys, nextCounter(seat), kind);
  let copies = COPIES, taken = false;
  (function copy() {
    if (taken || !copies--) return;
    asked("up", body, { keepalive: true }).then((answer) => { taken = answer.status === 204; }).catch(() => {});
    setTimeout(copy, AGAIN_MS);
  })();
}

function say(seat, word) {
  seat.word = word;
  render();
}

// Open the seat's stream, in place of one that may be open or dead.
function connect(seat) {
  disconnect(seat);
  if (!seat.keys && !seat.join) return;
  // A key is for one try and its copies. A card's code can be tried again, a one-time code cannot.
  const first = early && String(early.code) === String(seat.code) ? early : {};
  if (first.join) early = null;
  if (seat.join) seat.join = first.join || newJoin(seat.code, game);
  const abort = seat.abort = first.abort || new AbortController();
  watch(seat, abort);
  attempt(seat, abort, seat.join, COPIES, first);
}

// One stream of a try. Without a frame, another one begins beside it: the table ends the older one ("twice").
function attempt(seat, abort, join, copies, { answer, at = Date.now() } = {}) {
  abort.streams = (abort.streams || 0) + 1;
  if (--copies) seat.copy = setTimeout(() => attempt(seat, abort, join, copies), at + AGAIN_MS - Date.now());
  stream(seat, abort.signal, join, answer).catch(() => {}).then((word) => {
    if (abort.signal.aborted || --abort.streams) return;
    disconnect(seat);
    if (word && elsewhere(seat)) say(seat, "moved");
    else retry(seat);
  });
}

function disconnect(seat) {
  clearTimeout(seat.beat);
  clearTimeout(seat.again);
  clearTimeout(seat.copy);
  if (seat.abort) seat.abort.abort();
  seat.abort = null;
  if (held && held.seat === seat) release();
}

function watch(seat, abort) {
  clearTimeout(seat.beat);
  seat.beat = setTimeout(() => {
    if (seat.abort !== abort) return;
    disconnect(seat);
    retry(seat);
  }, BEAT_MS);
}

// The pause doubles to 5 s, and differs from phone to phone.
function retry(seat) {
  if (!seat.keys && !seat.join) return;
  if (!["game", "full", "disk"].includes(seat.word)) say(seat, "lost");
  const pause = Math.min(5000, 250 * 2 ** seat.tries++) * (0.5 + Math.random());
  seat.again = setTimeout(() => connect(seat), pause);
}

async function stream(seat, signal, join, begun) {
  const body = join ? join.body : post(seat.keys, nextCounter(seat), OPEN);
  const answer = await (begun || asked(join ? "join" : "stream", body, { signal }));
  if (!answer.ok) return;
  const now = fromBase64(answer.headers.get("Trapdial-Game") || "");
  const reader = answer.body.getReader(), decoder = new TextDecoder();
  let text = "", greeted = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) return;
    text += decoder.decode(value, { stream: true });
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [, refused, data] = /^(event: no\n)?data: (.*)$/.exec(event) || [];
      if (data === "twice") return data;
      if (refused && data === "code" && seat.join && now[0] >= 0 && String(now) !== String(game)) {
        game = now;  // this page came before the game began
        connect(seat);
        return;
      }
      if (refused) { ended(seat, data); return; }
      if (!data) continue;
      if (greeted) arrived(seat, fromBase64(data));
      else if (seat.join) {
        seat.keys = session(seat.join, fromBase64(data));
        if (!seat.keys) return;
        seat.join = seat.code = null;
        keepSeat(seat);
      }
      greeted = true;
    }
  }
}

// The table ends the stream, and says why.
function ended(seat, word) {
  if (word === "game" && !seat.since) seat.since = Date.now();
  const waits = word === "full" || word === "disk" || (word === "game" && Date.now() - seat.since < 60000);
  say(seat, EARLY.en[word] ? word : "lost");
  if (waits) return;
  seat.join = seat.code = null;
  forget(seat);
  disconnect(seat);
  render();
}

function arrived(seat, frame) {
  const opened = seat.keys && openFrame(seat.keys, frame, seat.number);
  if (!opened || opened.content.v !== 1) return;
  const { content } = opened, { picture } = content, first = !seat.content;
  seat.number = opened.number;
  seat.counter = Math.max(seat.counter, content.after || 0);
  keepSeat(seat);
  watch(seat, seat.abort);
  clearTimeout(seat.copy);
  seat.tries = 0;
  seat.since = 0;
  // A secret goes on the glass now, or nowhere: what is kept of a frame is public, and neutral lines.
  content.picture = picture && picture.kind === "say" ? picture : null;
  seat.content = content;
  keepHead(content.head);
  if (seat.word) {
    seat.word = seat.word === "connecting" ? "" : "back";
    setTimeout(() => { if (seat.word === "back") say(seat, ""); }, 3000);
  }
  if (first) dropDoubles(seat);
  if (held && held.seat === seat) answer(picture, content.held);
  else if (content.held && Date.now() > (seat.lifted || 0) + LIFTED_MS) letGo(seat);  // the network lost every copy
  render();
}

// A phone that scanned the same seat again has it once.
function dropDoubles(seat) {
  for (const other of seats.slice()) {
    if (other === seat || !other.content || other.content.seat !== seat.content.seat) continue;
    disconnect(other);
    forget(other);
    seats.splice(seats.indexOf(other), 1);
  }
}

// --- hold to look ----------------------------------------------------------------------------------------------------

const glass = () => $("glass");

// Every end of a hold comes here, and the content is gone when this returns.
function release() {
  if (!held) return;
  const { seat, timers } = held;
  held = null;
  timers.forEach(clearTimeout);
  glass().replaceChildren();
  $("aloud").textContent = "";
  document.body.classList.remove("held");
  if (navigator.vibrate && kept().buzz) navigator.vibrate(0);
  letGo(seat);
  render();
}

function letGo(seat) {
  seat.lifted = Date.now();
  send(seat, LET_GO);
}

function press(lasting) {
  if (held || !shown || !shown.keys || !shown.content) return;
  held = { seat: shown, answered: false, late: false };
  held.timers = [setTimeout(release, lasting || LONGEST_MS), setTimeout(() => {
    held.late = !held.answered;
    render();
  }, ANSWER_MS)];
  document.body.classList.add("held");
  glass().replaceChildren();
  send(shown, HOLD);
}

// What the table answered to the hold: its picture, or nothing yet.
function answer(picture, down) {
  if (!down || !picture) {
    if (held.answered) glass().replaceChildren();
    $("aloud").textContent = "";
    return;
  }
  const first = !held.answered;
  held.answered = true;
  held.late = false;
  glass().replaceChildren(...drawn(picture));
  fit();
  if (readAloud && $("aloud").textContent !== spoken(picture)) $("aloud").textContent = spoken(picture);
  if (first) buzz(picture);
}

// Letters become smaller until all of it stands on the glass, whose size tells a neighbour nothing.
function fit() {
  const box = glass();
  for (let size = 100; size >= 70; size -= 6) {
    box.style.fontSize = size + "%";
    if (box.scrollHeight <= box.clientHeight) return;
  }
}

// The lamp's pattern in the hand. Every word has two long flashes of five; a hold that shows none takes as long.
function buzz(picture) {
  if (!navigator.vibrate || !kept().buzz) return;
  const flashes = picture.lamp && picture.lamp.length ? picture.lamp.map((long) => (long ? 420 : 140)) : Array(5).fill(252);
  navigator.vibrate(flashes.flatMap((ms) => [ms, 200]));
}

const tapShows = () => !!kept().tap;

function listenToHolds() {
  const button = $("hold");
  let pointer = null, finger = false;
  button.addEventListener("pointerdown", (event) => {
    if (tapShows()) return;
    event.preventDefault();
    if (pointer !== null || !event.isPrimary || event.button > 0) return;
    pointer = event.pointerId;
    finger = event.pointerType !== "mouse";
    try { button.setPointerCapture(pointer); } catch { /* the finger is gone already: pointerup follows */ }
    press();
  });
  const over = () => { pointer = null; release(); };
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    button.addEventListener(name, (event) => { if (event.pointerId === pointer) over(); });
  }
  // A screen reader's double tap, and a switch, make a click without a pointer.
  button.addEventListener("click", (event) => {
    if (tapShows() || (readAloud && !event.detail)) held ? release() : press(TAP_MS);
  });
  let key = false;
  button.addEventListener("keydown", (event) => {
    if (event.key !== " " || tapShows()) return;
    event.preventDefault();
    if (!key && !event.repeat) { key = true; press(); }
  });
  button.addEventListener("keyup", (event) => {
    if (event.key !== " " || tapShows()) return;
    event.preventDefault();
    key = false;
    release();
  });
  // A second finger anywhere, and everything that may take the page out of sight.
  addEventListener("pointerdown", (event) => {
    if (held && pointer !== null && event.pointerId !== pointer) over();
  }, true);
  const ends = [[window, "blur"], [window, "pagehide"], [document, "freeze"], [document, "visibilitychange"],
    [window, "beforeprint"], [button, "blur"], [document, "copy"]];
  for (const [target, name] of ends) {
    target.addEventListener(name, () => { key = false; over(); }, true);
  }
  // Android sends this for every long press: prevented, it opens no menu, and the finger still holds.
  addEventListener("contextmenu", (event) => {
    if (finger && button.contains(event.target)) event.preventDefault();
    else over();
  }, true);
}

// --- what the page shows ---------------------------------------------------------------------------------------------

const SIGNS = {
  CONCEALED: "◇", EXPOSED: "◈", TRIGGERED: "✹", WITHDRAWN: "↺", DISARMED: "✓", CLEAR: "×", CLEAR_PUBLIC: "×",
};

// A word: of the frame, else an early one in the seat's or the phone's language, else its key: "take back".
function ui(key) {
  const { ui: words = {}, lang } = (shown && shown.content) || {};
  return words[key] || (EARLY[lang] || OWN)[key] || key.replace(/_/g, " ");
}

// A live region speaks what is written into it, so nothing is written twice.
function put(id, text) {
  const place = typeof id === "string" ? $(id) : id;
  if (place.textContent !== text) place.textContent = text;
}

let leaving = false;  // the first tap on "leave" asks, the second one does it

function render() {
  const seat = shown, content = seat && seat.content;
  const dead = !seat || (!seat.keys && !seat.join);
  document.body.classList.toggle("bare", !content);
  if (content) document.documentElement.lang = content.lang || "en";
  renderTabs();
  put("you", content ? (content.ui || {}).you || content.name : "Trapdial");
  const word = seat ? seat.word : "scan", down = held && held.late;
  put("link", down ? ui("lost") : word ? ui(word) : "");
  $("link").className = down || ["lost", "code", "moved"].includes(word) ? "bad" : word;
  const marks = (content && content.marks) || [];
  if ($("marks").textContent !== marks.join("")) $("marks").replaceChildren(...marks.map((mark) => el("span", "", mark)));
  const ended = content && content.phase === "ended";
  $("keys").hidden = $("pane").hidden = dead || !content || ended;
  $("public").hidden = !content;
  $("more").hidden = !content || dead;
  renderEnd(seat, content, ended || (content && word === "over"));
  if (!content) return put("hint", "");
  renderKeys(content);
  put("state", content.state || "");
  put("newsname", ui("news"));
  put("squaresname", ui("squares"));
  renderNews(content.news || []);
  renderSquares(content);
  renderSettings();
  hideHalves();
}

// A line that the buttons cut waits until all of it has room.
function hideHalves() {
  const { top } = $("keys").getBoundingClientRect();
  for (const line of document.querySelectorAll("#public li+li")) {
    const box = line.getBoundingClientRect();
    line.style.opacity = +(box.top > top || box.bottom <= top);
  }
}
addEventListener("scroll", hideHalves);

function renderTabs() {
  const tabs = $("seats"), names = seats.map((seat) => (seat.content ? seat.content.name : "…"));
  tabs.hidden = seats.length < 2;
  tabs.setAttribute("aria-label", ui("seats"));
  const now = JSON.stringify([names, seats.indexOf(shown)]);
  if (tabs.hidden || tabs.drawn === now) return;
  tabs.drawn = now;
  tabs.replaceChildren(...seats.map((seat, i) => {
    const tab = el("button", "", names[i]);
    tab.setAttribute("aria-pressed", seat === shown);
    tab.onclick = () => { release(); shown = seat; leaving = false; render(); };
    return tab;
  }));
}

function renderKeys({ mine = {}, picture }) {
  put("tap", ui(mine.claim ? "take_back" : "turn"));
  $("tap").className = mine.claim ? "on" : "";
  $("tap").disabled = mine.may_tap === false;
  put($("hold").querySelector("span"), ui(tapShows() ? "tap_to_look" : "hold"));
  const neutral = picture ? (picture.lines || []).join(" ") : "";
  put("hint", neutral || ui(mine.claim === "open" ? "open" : "shade"));
}

// The newest stands first; only what is new is put in, so a screen reader speaks it once.
function renderNews(news) {
  const list = $("news"), old = [...list.children].map((each) => each.textContent).reverse();
  let same = Math.min(old.length, news.length);
  while (same && old.slice(-same).join("\n") !== news.slice(0, same).join("\n")) same--;
  for (let i = old.length; i > same; i--) list.lastChild.remove();
  for (const line of news.slice(same)) list.prepend(el("li", "", line));
}

function renderSquares({ squares = [], mine = {} }) {
  const list = $("squares"), knows = mine.knows || [], now = JSON.stringify([squares, knows, ui("yours")]);
  if (list.drawn === now) return;
  list.drawn = now;
  list.replaceChildren(...squares.map(([id, sentence, state]) => {
    const sign = el("i", "", SIGNS[state] || "·"), own = knows.includes(id);
    sign.setAttribute("aria-hidden", "true");
    return el("li", own ? "own" : "", sign, el("span", "", sentence), ...(own ? [el("em", "", ui("yours"))] : []));
  }));
}

function renderSettings() {
  put($("more").firstElementChild, ui("settings"));
  const all = kept(), on = { settap: all.tap, setbuzz: all.buzz, setread: readAloud };
  const words = { settap: "tap_shows", setbuzz: "buzz", setread: "read_to_me" };
  for (const id in on) {
    $(id).checked = !!on[id];
    put($(id).nextElementSibling, ui(words[id]));
  }
  $("setbuzz").parentNode.hidden = !navigator.vibrate;
  put("leave", ui(leaving ? "sure" : "leave"));
}

function renderEnd(seat, content, ended) {
  for (const button of document.querySelectorAll(".save")) {
    put(button, ui("save"));
    button.hidden = !kept().heads.length;
  }
  $("end").hidden = !ended;
  if (!ended) return;
  put($("end").children[0], ui("record"));
  put($("end").children[1], ui("head"));
  if (content.qr && $("qr").drawn !== content.qr.rows) {
    $("qr").drawn = content.qr.rows;
    const code = drawnQr(content.qr);
    code.setAttribute("aria-label", ui("record"));
    $("qr").replaceChildren(code);
  }
}

// --- the person's hands ----------------------------------------------------------------------------------------------

function listen() {
  listenToHolds();
  $("tap").onclick = () => { if (shown) send(shown, TAP); };
  $("settap").onchange = $("setbuzz").onchange = (event) => {
    release();
    keep((all) => { all[event.target.id.slice(3)] = event.target.checked; });
    render();
  };
  $("setread").onchange = (event) => { readAloud = event.target.checked && confirm(ui("headphones")); render(); };
  $("leave").onclick = () => {
    if (!leaving) { leaving = true; return render(); }
    leaving = false;
    send(shown, LEAVE);
    disconnect(shown);
    forget(shown);
    seats.splice(seats.indexOf(shown), 1);
    shown = seats[0] || null;
    render();
  };
  for (const button of document.querySelectorAll(".save")) {
    button.onclick = () => {
      const link = el("a", "");
      link.href = URL.createObjectURL(new Blob([kept().heads.join("\n") + "\n"], { type: "text/plain" }));
      link.download = "heads.txt";
      link.click();
    };
  }
}

// --- sleeping and waking ---------------------------------------------------------------------------------------------

// A hidden page closes its streams: a phone that sleeps would believe in a dead one. A join is let finish: it is spent.
function sleep() {
  for (const seat of seats) if (!seat.join) disconnect(seat);
}

// A fresh stream, whatever the browser believes of the old one. It starts with the whole state.
function wake() {
  readCode();
  if (!visible()) return;
  for (const seat of seats) {
    if (seat.join && seat.abort) continue;
    seat.tries = 0;
    connect(seat);
  }
}

// The code leaves the address bar at once. It is spent by this script's POST, and only when somebody sees the page.
function readCode() {
  const code = fromBase32(location.hash.slice(1));
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  if (seats.length >= MOST_SEATS) seats.splice(seats.findIndex((seat) => seat !== shown), 1).forEach(disconnect);
  if (!seats.some((seat) => seat.keys)) keep((all) => { all.heads = []; });
  shown = newSeat({ join: true, code });
  seats.push(shown);
}

function start() {
  const all = kept();
  for (const slot in all.seats) {
    const { down, up, counter, number } = all.seats[slot];
    const keys = { slot: fromBase64(slot), down: fromBase64(down), up: fromBase64(up) };
    seats.push(newSeat({ keys, counter, number }));
  }
  shown = seats[0] || null;
  listen();
  document.addEventListener("visibilitychange", () => (visible() ? wake() : sleep()));
  document.addEventListener("freeze", sleep);
  document.addEventListener("resume", wake);
  addEventListener("pagehide", sleep);
  addEventListener("pageshow", (event) => { if (event.persisted) wake(); });
  addEventListener("online", wake);
  addEventListener("hashchange", wake);
  // Another tab of this browser has taken a seat: two tabs would take it from each other for ever.
  addEventListener("storage", () => {
    for (const seat of seats) {
      if (!seat.abort || !elsewhere(seat)) continue;
      disconnect(seat);
      say(seat, "moved");
    }
  });
  wake();
  render();
}

start();
