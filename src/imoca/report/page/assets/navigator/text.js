// Whatever stands in a name is shown as text; control characters and changes of direction by their code.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function printable(text) {
  return String(text).replace(UNSEEN, (each) => "\\u" + each.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** A value for a table: numbers to four digits. */
export function short(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return printable(value);
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

export function duration(seconds) {
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function moment(seconds) {
  return new Date(seconds * 1000).toLocaleString();
}

/** An element with text and children, never with markup. */
export function element(name, { text, className, ...attributes } = {}, ...children) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = printable(text);
  if (className) made.className = className;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Plotly takes tags and $formulas$ out of any text unless they are spelt as entities. */
export function plotlyText(text) {
  return printable(text).replace(/[&<>$%]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** A name and what it is measured in: mass [kg]. */
export const labelled = (name, unit) => (unit ? `${name} [${unit}]` : name);

/** The same for a part of a drawing. */
export function drawn(name, { text, ...attributes } = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  if (text !== undefined) made.textContent = printable(text);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(text, onPress, attributes = {}) {
  const made = element("button", { type: "button", text, ...attributes });
  made.addEventListener("click", onPress);
  return made;
}

/** Not longer than a place for it. */
export function shortened(text, longest) {
  const shown = printable(text);
  return shown.length <= longest ? shown : `${shown.slice(0, longest - 1)}…`;
}

/** A value to the digits that its error leaves, two of its own. */
export function withError(value, error) {
  if (!(error > 0 && error < Infinity)) return short(value);
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(error))));
  if (error >= 1e6 || error < 1e-5) {
    const digits = value === 0 ? 1 : 2 + Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(error));
    return `${Number(value.toPrecision(Math.min(Math.max(digits, 1), 15)))} ± ${Number(error.toPrecision(2))}`;
  }
  return `${value.toFixed(decimals)} ± ${error.toFixed(decimals)}`;
}
