// The staff page. Its PIN never leaves this phone: CPace over X25519 and SHA-512 (draft-irtf-cfrg-cpace-21) proves it to
// the table, and the table to this page. `staff_sealing.py` is the table's end, and describes every byte.
"use strict";

// --- SHA-512 (FIPS 180-4) --------------------------------------------------------------------------------------------

const M64 = (1n << 64n) - 1n;
const turned = (x, n) => ((x >> n) | (x << (64n - n))) & M64;

// The first 64 bits behind the point of the n-th root of a number.
function rootBits(number, n) {
  const wanted = BigInt(number) << (64n * n);
  let root = 0n;
  for (let bit = 1n << 68n; bit; bit >>= 1n) if ((root | bit) ** n <= wanted) root |= bit;
  return root & M64;
}

function primes(count) {
  const found = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p)) found.push(n);
  return found;
}

const K512 = primes(80).map((p) => rootBits(p, 3n));
const H512 = primes(8).map((p) => rootBits(p, 2n));

function sha512(data) {
  const all = bytes(128 * Math.ceil((data.length + 17) / 128));
  all.set(data);
  all[data.length] = 128;
  all.set(big8(8 * data.length), all.length - 8);
  let h = H512.slice();
  for (let at = 0; at < all.length; at += 128) {
    const w = [];
    for (let i = 0; i < 16; i++) w.push(little(all.slice(at + 8 * i, at + 8 * i + 8).reverse()));
    for (let i = 16; i < 80; i++) {
      const a = w[i - 15], b = w[i - 2];
      const s0 = turned(a, 1n) ^ turned(a, 8n) ^ (a >> 7n), s1 = turned(b, 19n) ^ turned(b, 61n) ^ (b >> 6n);
      w.push((w[i - 16] + s0 + w[i - 7] + s1) & M64);
    }
    let s = h.slice();
    for (let i = 0; i < 80; i++) {
      const [a, b, c, d, e, f, g, last] = s;
      const t1 = last + (turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n)) + ((e & f) ^ ((M64 ^ e) & g)) + K512[i] + w[i];
      const t2 = (turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
      s = [(t1 + t2) & M64, a, b, c, (d + t1) & M64, e, f, g];
    }
    h = h.map((x, i) => (x + s[i]) & M64);
  }
  return joined(...h.map((x) => littleBytes(x, 8).reverse()));
}

// --- CPace -----------------------------------------------------------------------------------------------------------

const withLength = (data) => joined([data.length], data);
const lv = (...parts) => joined(...parts.map(withLength));

// The u coordinate of a point of Curve25519 for 32 bytes (RFC 9380, 6.7.1).
function elligator2(field) {
  const J = 486662n, u = little(field) & ((1n << 255n) - 1n), bottom = mod(1n + 2n * u * u);
  const x = bottom ? mod(-J * power(bottom, P - 2n)) : mod(-J);
  const squared = mod(x * x * x + J * x * x + x);
  return littleBytes(power(squared, (P - 1n) / 2n) <= 1n ? x : mod(-x - J), 32);
}

function generator(secret, channel, sid) {
  const dsi = ascii("CPace255"), zeros = bytes(127 - secret.length - 1 - dsi.length - 1);
  return elligator2(sha512(lv(dsi, secret, zeros, channel, sid)).subarray(0, 32));
}

function keyOf(sid, point, first, second) {
  return sha512(joined(lv(ascii("CPace255_ISK"), sid, point), lv(...first), lv(...second)));
}

// --- what page and table say to each other ---------------------------------------------------------------------------

const SHARE = 1, PROVE = 2, SEALED = 3, SHARE_AT_TABLE = 4, ASK_BYTES = 512, PLAIN_BYTES = 455;
const filled = (kind, ...parts) => {
  const said = joined([kind], ...parts);
  return joined(said, random(ASK_BYTES - said.length));
};
const same = (a, b) => a.length === b.length && !a.reduce((sum, x, i) => sum | (x ^ b[i]), 0);

// What a page sends first, and what it needs to understand the answer. `read`: the number on the table's screens, or "".
function beginExchange(pin, host, read = "", sid = random(16), scalar = random(32)) {
  const g = generator(ascii(pin), ascii("trapdial staff 1"), sid), share = x25519(scalar, g), named = ascii(host);
  const rest = [sid, share, withLength(named)];
  const body = read ? filled(SHARE_AT_TABLE, big8(+read).slice(4), ...rest) : filled(SHARE, ...rest);
  return { sid, scalar, named, share, body };
}

// The keys and both proofs, from the table's share; null for a bad one.
function proved(begun, answer) {
  const theirs = answer.slice(1, 33), point = x25519(begun.scalar, theirs), sid = begun.sid;
  if (!point) return null;
  const isk = keyOf(sid, point, [begun.share, begun.named], [theirs, ascii("table")]);
  const made = (name) => sha512(lv(ascii(name), sid, isk));
  const both = made("trapdial staff keys 1");
  return {
    sid,
    down: both.slice(0, 32),
    up: both.slice(32),
    body: filled(PROVE, sid, made("trapdial staff page 1").subarray(0, 32)),
    tables: made("trapdial staff table 1").slice(0, 32),
  };
}

function sealAsk(keys, number, text, nonce = random(24)) {
  const plain = bytes(PLAIN_BYTES);
  plain.set(joined(big8(number), ascii(text)));
  return filled(SEALED, keys.sid, nonce, seal(keys.up, nonce, joined(ascii("trapdial staff ask 1"), keys.sid), plain));
}

// What the table answered to the ask with this number, or null.
function openAnswer(keys, number, answer) {
  if (answer[0] !== SEALED) return null;
  const bound = joined(ascii("trapdial staff answer 1"), keys.sid, big8(number));
  const plain = open(keys.down, answer.subarray(1, 25), bound, answer.subarray(25));
  if (!plain) return null;
  const size = new DataView(plain.buffer).getUint32(0);
  try { return JSON.parse(new TextDecoder().decode(plain.subarray(4, 4 + size))); } catch { return null; }
}

// --- the page --------------------------------------------------------------------------------------------------------

const REASONS = ["", "wrong", "wait", "again", "none", "stale", "crowd"];
const $ = (id) => document.getElementById(id);
let keys = null, number = 0, busy = false, words = {}, language = "en";

function say(text, bad = false) {
  $("said").textContent = text;
  $("said").className = bad ? "bad" : "";
}

async function sent(body) {
  const stop = new AbortController(), timer = setTimeout(() => stop.abort(), 15000);
  try {
    const answer = await fetch("/staff/ask", { method: "POST", body, cache: "no-store", signal: stop.signal });
    return answer.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch { return null; } finally { clearTimeout(timer); }
}

// Say why the table refused, and show the door again.
function refused(answer) {
  const reason = answer && answer[0] === 0 ? REASONS[answer[1]] || "lost" : "lost";
  const seconds = answer ? new DataView(answer.buffer).getUint32(2) : 0;
  say(words[reason].replace("{minutes}", Math.ceil(seconds / 60)), true);
  if (reason === "again" || !keys) shut();
  if (["wrong", "wait"].includes(reason) && seconds > 1 || ["stale", "crowd"].includes(reason)) $("attable").hidden = false;
}

function shut() {
  keys = null;
  $("desk").hidden = true;
  $("door").hidden = false;
}

async function enter(pin, read) {
  say(words.busy);
  const begun = beginExchange(pin, location.host, read);
  const first = await sent(begun.body);
  if (!first || first[0] !== SHARE) return refused(first);
  const made = proved(begun, first);
  if (!made) return say(words.fake, true);
  const second = await sent(made.body);
  if (!second || second[0] !== PROVE) return refused(second);
  if (!same(second.subarray(1, 33), made.tables)) return say(words.fake, true);
  keys = made;
  number = 0;
  $("attable").hidden = true;
  await ask({ do: "look" });
}

async function ask(wish) {
  number += 1;
  const mine = number, answer = await sent(sealAsk(keys, mine, JSON.stringify({ ...wish, lang: language })));
  const view = answer && openAnswer(keys, mine, answer);
  if (!view) return refused(answer);
  show(view);
}

// One thing after another; a second tap while the first is under way has no effect.
async function alone(work) {
  if (busy) return;
  busy = true;
  document.querySelectorAll("button").forEach((each) => { each.disabled = true; });
  try { await work(); } finally {
    busy = false;
    document.querySelectorAll("button").forEach((each) => { each.disabled = false; });
  }
}

function made(kind, text, inside) {
  const element = document.createElement(kind);
  element.textContent = text;
  if (inside) inside.append(element);
  return element;
}

function fill(list, troubles, none) {
  list.textContent = "";
  for (const each of troubles) {
    const item = made("li", "", list);
    made("b", each.seen, item);
    made("span", each.do, item);
    if (each.when) made("small", each.when, item);
  }
  if (!troubles.length) made("li", none, list);
}

function show(view) {
  const texts = view.texts;
  $("door").hidden = true;
  $("desk").hidden = false;
  say(view.said, Object.keys(view.wrong).length > 0);
  for (const id of ["now", "last", "hours", "test"]) $(id + "name").textContent = texts[id];
  for (const id of ["help", "save", "report", "update"]) $(id).textContent = texts[id];
  $("update").hidden = !texts.update;
  $("install").hidden = !view.token;
  $("install").value = view.token;
  $("install").textContent = view.install;
  $("refused").textContent = view.last_update;
  $("refused").hidden = !view.last_update;
  $("state").textContent = view.state;
  $("nowpart").hidden = !view.now.length;
  fill($("now"), view.now, texts.none);
  fill($("last"), view.last, texts.none);
  $("open").textContent = view.is_open;
  $("program").textContent = "Trapdial " + view.program;
  $("test").textContent = "";
  for (const line of view.test) made("li", line, $("test"));
  fillDays(view);
}

// --- opening hours ---------------------------------------------------------------------------------------------------

// A day's hours are "10:00-12:00, 14:00-19:00", "" for closed, "-" for open all day. A field shows 24:00 as 00:00.
const pairsOf = (hours) => (hours && hours !== "-" ? hours.split(", ") : [])
  .map((pair) => pair.split("-").map((time) => (time === "24:00" ? "00:00" : time)));

// What the fields of a day say, as the table takes it. What nobody has changed stays as it is written.
function hoursOf(box) {
  const [open, ...times] = box.querySelectorAll("input"), pairs = [];
  const read = (time) => time.value.trim().replace(/^\d:/, "0$&");
  for (let n = 0; n < times.length; n += 2) {
    const pair = [read(times[n]), read(times[n + 1])];
    if (pair.join("")) pairs.push(pair.join("-"));
  }
  const now = open.checked ? pairs.join(", ") || "-" : "";
  return now === box.fields ? box.hours : now;
}

// Draw the days again when their hours or words change, but not while a mistake in them is shown.
let drawnDays = "";

function fillDays(view) {
  const days = $("days"), now = JSON.stringify([view.hours, language]), typed = {};
  if (now !== drawnDays) {
    for (const box of days.children) if (hoursOf(box) !== box.hours) typed[box.name] = hoursOf(box);
    drawnDays = now;
    days.replaceChildren(...view.hours.map(([day, name, hours]) => dayBox(day, name, hours, typed[day] ?? hours, view.texts)));
  }
  for (const box of days.children) blame(box, view.wrong[box.name] || "");
  days.querySelector(".wrong .pair input")?.focus();
}

// Say beside a day what is wrong with it; without a sentence, nothing is.
function blame(box, sentence) {
  box.className = sentence ? "wrong" : "";
  box.lastChild.textContent = sentence;
  for (const time of box.querySelectorAll(".pair input")) {
    if (sentence) time.setAttribute("aria-invalid", "true"); else time.removeAttribute("aria-invalid");
  }
}

function dayBox(day, name, saved, hours, texts) {
  const box = made("fieldset", ""), open = document.createElement("input"), times = made("div", "");
  made("legend", name, box);
  const line = made("div", "", box), word = made("span", "", line);
  box.name = day;
  line.className = "switch";
  times.className = "times";
  open.type = "checkbox";
  open.checked = hours !== "";
  open.setAttribute("role", "switch");
  open.setAttribute("aria-label", texts.switch.replace("{day}", name));
  line.prepend(open);
  word.setAttribute("aria-hidden", "true");
  const pairs = pairsOf(hours);
  const rows = [0, 1].map((n) => {
    const row = made("div", "", times);
    row.className = "pair";
    for (const edge of ["from", "to"]) {
      const label = made("label", "", row), time = document.createElement("input");
      made("span", texts[edge], label);
      time.type = "time";
      time.placeholder = "--:--";
      time.setAttribute("aria-describedby", `why${day}`);
      time.value = pairs[n]?.[edge === "from" ? 0 : 1] || "";
      label.append(time);
    }
    return row;
  });
  const more = made("button", "+", rows[0]);
  more.type = "button";
  more.setAttribute("aria-label", texts.another.replace("{day}", name));
  let two = pairs.length > 1;
  const change = () => {
    const filled = [...times.querySelectorAll("input")].some((time) => time.value || time.validity.badInput);
    word.textContent = !open.checked ? texts.closed : filled ? texts.open : texts.all_day;
    times.hidden = !open.checked;
    rows[1].hidden = !two;
    more.hidden = two;
    for (const time of times.querySelectorAll("input")) time.disabled = !open.checked;
    blame(box, "");
  };
  more.onclick = () => { two = true; change(); rows[1].querySelector("input").focus(); };
  box.append(times);
  made("p", "", box).id = `why${day}`;
  box.oninput = change;
  change();
  box.hours = saved;
  box.fields = saved === hours ? hoursOf(box) : null;
  return box;
}

function speak(wanted) {
  const all = JSON.parse(document.documentElement.dataset.words);
  language = all[wanted] ? wanted : "en";
  words = all[language];
  document.documentElement.lang = language;
  $("title").textContent = words.title;
  $("pinname").textContent = words.pin;
  $("numbername").textContent = words.number;
  $("enter").textContent = words.enter;
  $("lang").textContent = "";
  for (const each in all) {
    const option = made("option", all[each].name, $("lang"));
    option.value = each;
    option.selected = each === language;
  }
}

function begin() {
  speak((navigator.language || "en").slice(0, 2));
  $("lang").onchange = () => { speak($("lang").value); say(""); if (keys) alone(() => ask({ do: "look" })); };
  $("door").onsubmit = (event) => {
    event.preventDefault();
    const pin = $("pin").value, read = $("number").value;
    $("pin").value = $("number").value = "";
    alone(() => enter(pin, read));
  };
  $("hours").onsubmit = (event) => {
    event.preventDefault();
    const hours = {};
    for (const box of $("days").children) if (hoursOf(box) !== "-") hours[box.name] = hoursOf(box);
    alone(() => ask({ do: "hours", hours }));
  };
  $("report").onclick = () => alone(() => ask({ do: "report" }));
  $("update").onclick = () => alone(() => ask({ do: "update" }));
  $("install").onclick = () => alone(() => ask({ do: "install", token: $("install").value }));
}

if (typeof document !== "undefined") begin();
