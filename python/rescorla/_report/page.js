"use strict";
// What all pages share: names are only ever put into text nodes, never into HTML.

const SVG = "http://www.w3.org/2000/svg";
const MINUS = "\u2212";

/** An element with attributes and children; strings become text. */
const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** The same in SVG. */
const drawn = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/** Text of an axis. */
const axisText = (x, y, anchor, text) => drawn("text", { class: "quiet", x, y, "text-anchor": anchor }, text);

const nameCell = (name) => element("td", { class: "name" }, name);

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const byId = (id) => document.getElementById(id);

/** Tell screen readers; at most a few times a second. */
function say(text) {
  clearTimeout(say.later);
  say.later = setTimeout(() => { byId("status").textContent = visible(text); }, 250);
}

/** A number as it is shown: four decimals, or three digits and an exponent. */
function shown(value) {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "infinite" : MINUS + "infinite";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 0.00095 || size >= 1e5 ? size.toExponential(2).replace("e+", "e").replace("-", MINUS) : size.toFixed(4);
  return (value < 0 ? MINUS : "") + text;
}

const counted = (count) => count.toLocaleString("en");

/** A name for a place with room for so many letters; blank ones and line ends are seen. */
function short(name, most) {
  const plain = visible(name);
  const letters = Array.from(plain.slice(0, 4 * most));
  return letters.length > most || plain.length > 4 * most ? letters.slice(0, most - 1).join("") + "\u2026" : plain;
}

/** A name as it is shown: in quotes where it is empty or blank; what is no letter, or turns letters around, as its code. */
function visible(name) {
  const plain = name.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (letter) => (
    { "\n": "\u21b5", "\t": "\u21e5" }[letter] || `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
  ));
  return plain.trim() === "" ? `"${plain}"` : plain;
}

let digits = 17;

/** All digits that a number has: seven where it was written in single precision. */
const whole = (value) => String(digits < 17 ? Number(value.toPrecision(digits)) : value);

/** A cell with a number, which has all its digits at hand. */
function numeric(value, tag = "td") {
  return element(tag, { class: "number", "data-value": whole(value), title: whole(value) }, shown(value));
}

/** A table of heads and rows of cells. */
function table(heads, rows, { caption = null, numbers = 1 } = {}) {
  const first = heads.length - numbers;
  const head = heads.map((text, place) => element("th", { scope: "col", class: place < first ? null : "number" }, text));
  return element(
    "table", {},
    caption === null ? null : element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells))),
  );
}

const TYPES = { f8: Float64Array, f4: Float32Array, u4: Uint32Array, u2: Uint16Array };

/** What was written, with every packed array unpacked. */
async function unpacked(value) {
  if (Array.isArray(value)) {
    return value.length && typeof value[0] === "object" ? Promise.all(value.map(unpacked)) : value;
  }
  if (value === null || typeof value !== "object") return value;
  if ("packed" in value) {
    const bytes = Uint8Array.from(atob(value.packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new TYPES[value.type](await new Response(stream).arrayBuffer());
  }
  const parts = await Promise.all(Object.values(value).map(unpacked));
  return Object.fromEntries(Object.keys(value).map((key, place) => [key, parts[place]]));
}

/** Round numbers between two, about so many. */
function ticks(low, high, about) {
  const raw = (high - low) / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= raw) || 10 * power;
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + step * 1e-9; place++) found.push(place * step || 0);
  return found;
}

/** A round number as short as it can be. */
function plain(value) {
  const text = String(Number(value.toPrecision(6)));
  return text.replace("-", MINUS).replace("e+", "e");
}

/** Draw now and whenever the width of the place changes. */
function drawnToFit(host, draw) {
  let width = 0;
  const again = () => {
    const now = Math.round(host.clientWidth);
    if (now > 0 && now !== width) {
      width = now;
      host.replaceChildren(draw(now));
    }
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(again));
  observer.observe(host);
  again();
  return () => { width = 0; again(); };
}

// On paper nothing can be unfolded.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not([open])")];
  for (const each of unfolded) each.open = true;
});
addEventListener("afterprint", () => {
  for (const each of unfolded) each.open = false;
});

/** Read what was written, and start the page with it. */
async function start(page) {
  const written = JSON.parse(byId("data").textContent);
  if (typeof DecompressionStream === "undefined") {
    byId("main").prepend(element("p", { class: "note" }, "This browser is too old to unpack the numbers: take one of 2023 or later."));
    return;
  }
  const data = await unpacked(written);
  byId("work").hidden = false;
  digits = data.digits;
  page(data);
  document.documentElement.dataset.ready = "true";
}
