// The phone's half of the cipher. A page from plain http has no crypto.subtle, so XChaCha20-Poly1305 and X25519 are
// written here, small and in the form of their documents: RFC 8439, draft-irtf-cfrg-xchacha-03, RFC 7748. The figures
// of both documents, and a million messages of libsodium, are tests. All values are Uint8Array.
"use strict";

const bytes = (n) => new Uint8Array(n);
const random = (n) => crypto.getRandomValues(bytes(n));
const ascii = (text) => new TextEncoder().encode(text);

function joined(...parts) {
  const out = bytes(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { out.set(part, at); at += part.length; }
  return out;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

const word = (b, i) => (b[i] | (b[i + 1] << 8) | (b[i + 2] << 16) | (b[i + 3] << 24)) >>> 0;

function little(b) {
  let n = 0n;
  for (let i = b.length; i--;) n = (n << 8n) | BigInt(b[i]);
  return n;
}

function littleBytes(n, size) {
  const out = bytes(size);
  for (let i = 0; i < size; i++) { out[i] = Number(n & 255n); n >>= 8n; }
  return out;
}

// Eight bytes, big endian, of a whole number below 2**53.
function big8(n) {
  const out = bytes(8);
  for (let i = 7; i >= 0; i--) { out[i] = n % 256; n = Math.floor(n / 256); }
  return out;
}

// Infinity for more than 2**53: no number may follow it.
function fromBig8(b) {
  let n = 0;
  for (let i = 0; i < 8; i++) n = n * 256 + b[i];
  return n <= Number.MAX_SAFE_INTEGER ? n : Infinity;
}

// --- ChaCha20 (RFC 8439, 2.1 to 2.4) ---------------------------------------------------------------------------------

// The state before the rounds: constants, key (32 bytes), and 16 bytes of counter and nonce.
function chachaState(key, tail) {
  const s = new Uint32Array(16);
  s.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  for (let i = 0; i < 8; i++) s[4 + i] = word(key, 4 * i);
  for (let i = 0; i < 4; i++) s[12 + i] = word(tail, 4 * i);
  return s;
}

function quarter(s, a, b, c, d) {
  let x;
  s[a] += s[b]; x = s[d] ^ s[a]; s[d] = (x << 16) | (x >>> 16);
  s[c] += s[d]; x = s[b] ^ s[c]; s[b] = (x << 12) | (x >>> 20);
  s[a] += s[b]; x = s[d] ^ s[a]; s[d] = (x << 8) | (x >>> 24);
  s[c] += s[d]; x = s[b] ^ s[c]; s[b] = (x << 7) | (x >>> 25);
}

function chachaRounds(s) {
  for (let i = 0; i < 10; i++) {
    for (let j = 0; j < 4; j++) quarter(s, j, 4 + j, 8 + j, 12 + j);
    for (let j = 0; j < 4; j++) quarter(s, j, 4 + (j + 1) % 4, 8 + (j + 2) % 4, 12 + (j + 3) % 4);
  }
  return s;
}

function wordBytes(words) {
  const out = bytes(words.length * 4);
  words.forEach((w, i) => { for (let j = 0; j < 4; j++) out[4 * i + j] = w >>> (8 * j); });
  return out;
}

function hchacha20(key, in16) {
  const s = wordBytes(chachaRounds(chachaState(key, in16)));
  return joined(s.subarray(0, 16), s.subarray(48));
}

// `data` with the key stream from block `counter` on.
function chacha20(key, nonce12, counter, data) {
  const start = chachaState(key, joined(bytes(4), nonce12)), out = bytes(data.length);
  for (let at = 0; at < data.length; at += 64) {
    start[12] = counter++;
    const s = chachaRounds(start.slice());
    for (let i = 0; i < 16; i++) s[i] += start[i];
    const stream = wordBytes(s);
    for (let i = at; i < at + 64 && i < data.length; i++) out[i] = data[i] ^ stream[i - at];
  }
  return out;
}

// --- Poly1305 (2.5) and the sealed message (2.8) ---------------------------------------------------------------------

const P1305 = (1n << 130n) - 5n;

function poly1305(key, data) {
  const r = little(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let sum = 0n;
  for (let at = 0; at < data.length; at += 16) {
    const block = data.subarray(at, at + 16);
    sum = (sum + little(block) + (1n << BigInt(8 * block.length))) * r % P1305;
  }
  return littleBytes(sum + little(key.subarray(16, 32)), 16);
}

const padding = (data) => bytes((16 - data.length % 16) % 16);
const size8 = (data) => littleBytes(BigInt(data.length), 8);

function aeadTag(key, nonce12, ad, sealed) {
  const once = chacha20(key, nonce12, 0, bytes(32));
  return poly1305(once, joined(ad, padding(ad), sealed, padding(sealed), size8(ad), size8(sealed)));
}

// XChaCha20-Poly1305: the first 16 bytes of the nonce make the key, the other 8 are the nonce.
const xKey = (key, nonce24) => [hchacha20(key, nonce24.subarray(0, 16)), joined(bytes(4), nonce24.subarray(16))];

function seal(key, nonce24, ad, plain) {
  const [sub, nonce] = xKey(key, nonce24), sealed = chacha20(sub, nonce, 1, plain);
  return joined(sealed, aeadTag(sub, nonce, ad, sealed));
}

// The plain bytes, or null when anything of it was changed.
function open(key, nonce24, ad, box) {
  if (box.length < 16) return null;
  const [sub, nonce] = xKey(key, nonce24), end = box.length - 16, sealed = box.subarray(0, end);
  const tag = aeadTag(sub, nonce, ad, sealed);
  let differs = 0;
  for (let i = 0; i < 16; i++) differs |= tag[i] ^ box[end + i];
  return differs ? null : chacha20(sub, nonce, 1, sealed);
}

// --- X25519 (RFC 7748, 5) --------------------------------------------------------------------------------------------

const P = (1n << 255n) - 19n;
const mod = (n) => ((n % P) + P) % P;

function power(base, exponent) {
  let result = 1n;
  for (; exponent; exponent >>= 1n) {
    if (exponent & 1n) result = result * base % P;
    base = base * base % P;
  }
  return result;
}

// The shared bytes, or null when they are all zero: the other point was a bad one. A key is used once, for a join,
// so the time that a step takes tells a listener nothing that it could ask for twice.
function x25519(secret, point) {
  const k = little(secret) & ((1n << 255n) - 8n) | (1n << 254n);
  const u = mod(little(point) & ((1n << 255n) - 1n));
  let x2 = 1n, z2 = 0n, x3 = u, z3 = 1n, swap = 0n;
  for (let t = 254n; t >= 0n; t--) {
    const bit = (k >> t) & 1n;
    if (swap !== bit) { [x2, x3] = [x3, x2]; [z2, z3] = [z3, z2]; }
    swap = bit;
    const a = mod(x2 + z2), b = mod(x2 - z2), aa = a * a % P, bb = b * b % P, e = mod(aa - bb);
    const da = mod(x3 - z3) * a % P, cb = mod(x3 + z3) * b % P;
    x3 = mod((da + cb) ** 2n);
    z3 = u * mod((da - cb) ** 2n) % P;
    x2 = aa * bb % P;
    z2 = e * mod(aa + 121665n * e) % P;
  }
  if (swap) { [x2, x3] = [x3, x2]; [z2, z3] = [z3, z2]; }
  const shared = x2 * power(z2, P - 2n) % P;
  return shared ? littleBytes(shared, 32) : null;
}

const NINE = joined([9], bytes(31));

// --- texts -----------------------------------------------------------------------------------------------------------

// The 16 bytes of a code of 26 letters and digits, small or capital; null for anything else.
function fromBase32(text) {
  if (!/^[A-Z2-7]{26}$/i.test(text)) return null;
  let n = 0n;
  for (const letter of text.toUpperCase()) n = (n << 5n) | BigInt("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter));
  return littleBytes(n >> 2n, 16).reverse();
}

const base64 = (data) => btoa(String.fromCharCode(...data));

function fromBase64(text) {
  try { return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)); } catch { return null; }
}

// --- what phone and table say to each other (wiring_docs/phones.md) --------------------------------------------------

// What a phone sends for this code in this game, and what it needs to understand the greeting.
function newJoin(code, game, secret = random(32), nonce = random(24), rest = random(24)) {
  const key = joined(code, bytes(16)), mine = x25519(secret, NINE);
  const box = seal(key, nonce, joined(ascii("trapdial join 2"), game, mine), bytes(32));
  return { key, secret, game, body: joined(mine, nonce, box, rest) };
}

// {slot, down, up} from the 48 bytes of a greeting; null for a bad one.
function session(join, greeting) {
  if (!greeting || greeting.length !== 48) return null;
  const dh = x25519(join.secret, greeting.subarray(0, 32));
  if (!dh) return null;
  const root = hchacha20(hchacha20(join.key, dh.subarray(0, 16)), dh.subarray(16));
  return {
    slot: greeting.slice(32),
    down: hchacha20(root, ascii("trapdial down 1\0")),
    up: hchacha20(root, ascii("trapdial up 1\0\0\0")),
  };
}

// {number, content} of a frame, or null: not for this seat, changed on the way, or not higher than `last`.
function openFrame(keys, frame, last) {
  if (!frame || frame.length < 64) return null;
  const number = fromBig8(frame);
  if (!(number > last && number < Infinity)) return null;
  const ad = joined(ascii("trapdial frame 1"), keys.slot, frame.subarray(0, 8));
  const plain = open(keys.down, frame.subarray(8, 32), ad, frame.subarray(32));
  if (!plain) return null;
  const size = new DataView(plain.buffer).getUint32(0);
  try {
    return { number, content: JSON.parse(new TextDecoder().decode(plain.subarray(4, 4 + size))) };
  } catch { return null; }
}

// The 128 bytes of a post. Kinds: 1 tap, 2 hold, 3 let go, 4 open the stream, 5 leave.
function post(keys, counter, kind, nonce = random(24), rest = random(40)) {
  const plain = joined(big8(counter), [kind], bytes(23));
  const box = seal(keys.up, nonce, joined(ascii("trapdial post 1"), keys.slot), plain);
  return joined(keys.slot, nonce, box, rest);
}
