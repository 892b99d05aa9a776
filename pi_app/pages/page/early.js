// The first knock leaves while the rest of the page is still on its way: this script stands before everything else.
"use strict";

let game = fromBase64(document.documentElement.dataset.game || "AAAAAAAAAAAAAAAAAAAAAA==");  // its public name

const visible = () => document.visibilityState === "visible";

const asked = (path, body, more) => fetch(path, Object.assign({
  method: "POST", body, cache: "no-store", headers: { "Content-Type": "application/octet-stream" },
}, more));

// {code, join, abort, answer, at} of a knock that page.js takes over, or null.
function knockEarly(code) {
  if (!code || !visible()) return null;
  const join = newJoin(code, game), abort = new AbortController();
  const answer = asked("join", join.body, { signal: abort.signal });
  answer.catch(() => {});
  return { code, join, abort, answer, at: Date.now() };
}

let early = knockEarly(fromBase32(location.hash.slice(1)));
