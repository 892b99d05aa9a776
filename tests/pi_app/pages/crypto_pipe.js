// Runs functions of pi_app/pages/page/crypto.js for a test: requests come in on stdin, answers go out on stdout.
// Each request is 4 bytes of length and JSON: [name, argument, ...]. Bytes are written as {"hex": "..."}.
"use strict";

const fs = require("fs");
const vm = require("vm");

const names = ["hchacha20", "chacha20", "poly1305", "seal", "open", "x25519", "fromBase32", "base64", "fromBase64",
  "newJoin", "session", "openFrame", "post"];
const staff = ["sha512", "elligator2", "generator", "keyOf", "beginExchange", "proved", "sealAsk", "openAnswer"];
const files = process.argv.slice(2);
const context = vm.createContext({
  Uint8Array, Uint32Array, DataView, TextEncoder, TextDecoder, BigInt, JSON, atob, btoa, crypto: require("crypto").webcrypto,
});
const source = files.map((file) => fs.readFileSync(file, "utf8")).join("\n");
const api = vm.runInContext(`${source};({${files.length > 1 ? [...names, ...staff] : names}})`, context);

const read = (value) => {
  if (value && typeof value.hex === "string") return Uint8Array.from(Buffer.from(value.hex, "hex"));
  if (Array.isArray(value)) return value.map(read);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, read(each)]));
};
const written = (value) => {
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString("hex") };
  if (Array.isArray(value) || value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each)]));
};

// Many messages in one request: key 32, nonce 24, then for each 2 bytes of length of ad and box, ad and box. Answers "".
// or the first that does not open to the same as its plain text, which stands behind the box.
function messages(buffer) {
  let at = 0, count = 0;
  const take = (n) => new Uint8Array(buffer.buffer, buffer.byteOffset + (at += n) - n, n);
  while (at < buffer.length) {
    const key = take(32), nonce = take(24), sizes = take(4);
    const ad = take(sizes[0] * 256 + sizes[1]), plain = take(sizes[2] * 256 + sizes[3]), box = take(plain.length + 16);
    const opened = api.open(key, nonce, ad, box);
    if (!opened || Buffer.compare(opened, plain) || Buffer.compare(api.seal(key, nonce, ad, plain), box)) {
      return `message ${count} differs`;
    }
    count++;
  }
  return count;
}

let waiting = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  waiting = Buffer.concat([waiting, data]);
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
    const text = waiting.subarray(4, 4 + waiting.readUInt32BE(0));
    waiting = waiting.subarray(4 + text.length);
    let answer;
    if (text[0] === 0) answer = messages(text.subarray(1));
    else {
      const [name, ...given] = JSON.parse(text);
      answer = written(api[name](...given.map(read)));
    }
    process.stdout.write(JSON.stringify(answer === undefined ? null : answer) + "\n");
  }
});
