"use strict";
// Filters the rows, loads them again every ten seconds while the page is seen, and takes a token out of a link.
// Every page can be read without this script.
const EVERY_MS = 10000;
const all = (css, from = document) => [...from.querySelectorAll(css)];
const one = (css, from = document) => from.querySelector(css);

const filter = () => {
  const form = one("#find");
  if (!form) return;
  const words = form.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  const [level, shop] = [form.level.value, form.shop ? form.shop.value : ""];
  let seen = 0;
  for (const row of all("#rows > li")) {
    const text = all("a, small, .words", row).map((each) => each.textContent).join(" ").toLowerCase();
    const fits = words.every((word) => text.includes(word)) && (!level || row.classList.contains(level)) &&
      (!shop || row.dataset.shop === shop);
    row.hidden = !fits;
    seen += fits;
  }
  one("output", form).textContent = `${seen} of ${all("#rows > li").length}`;
  one("#none").hidden = seen > 0;
};

const listen = () => {
  const form = one("#find");
  if (!form) return;
  one("button", form).hidden = true;
  for (const kind of ["input", "change"]) form.addEventListener(kind, filter);
  form.addEventListener("submit", (event) => { event.preventDefault(); filter(); });
  filter();
};

// Only what changes is replaced: where a person types, reads or has opened something stays as it is.
const refresh = async () => {
  const lost = one("#lost");
  let text = "";
  try {
    const answer = await fetch(location.pathname, { cache: "no-store", credentials: "same-origin" });
    if (answer.redirected || answer.status === 401) { location.reload(); return; }
    if (!answer.ok) throw new Error(answer.status);
    text = await answer.text();
  } catch {
    lost.textContent = "The centre does not answer. What you see is older than it looks; this page tries again.";
    return;
  }
  lost.textContent = "";
  const next = new DOMParser().parseFromString(text, "text/html");
  if (next.body.dataset.page !== document.body.dataset.page) { location.reload(); return; }
  const open = all("details[open]").map((each) => each.id);
  const focused = document.activeElement && document.activeElement.closest("[data-part]") ?
    document.activeElement.getAttribute("href") : null;
  for (const part of all("[data-part]")) {
    const other = one(`[data-part="${part.dataset.part}"]`, next);
    if (other && other.innerHTML !== part.innerHTML) part.replaceChildren(...document.adoptNode(other).childNodes);
  }
  for (const id of open) { const each = document.getElementById(id); if (each) each.open = true; }
  if (focused) { const each = all("[data-part] a").find((a) => a.getAttribute("href") === focused); if (each) each.focus({ preventScroll: true }); }
  document.title = next.title;
  filter();
};

const enter = () => {
  const token = one("#token");
  if (!token) return;
  if (location.hash.length > 1) {
    token.value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    token.form.submit();
  } else token.focus();
};

listen();
enter();
addEventListener("hashchange", enter);
if (document.body.dataset.page) setInterval(() => { if (!document.hidden) refresh(); }, EVERY_MS);
