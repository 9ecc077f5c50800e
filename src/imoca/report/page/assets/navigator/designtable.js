// Every design in a row; those that do not fit are hidden, any column sorts.
import { button, element, printable, short, withError } from "./text.js";
import { takingButtons } from "./taking.js";
import { badge } from "./chosen.js";

const FIXED = 2; // columns that say which design a row is
const PAPER = { letter: 4.5, sides: 8 }; // pixels of a letter on paper, where they are small, and beside a column

export class DesignTable {
  constructor(place, model) {
    Object.assign(this, { model, sorted: null });
    this.input = element("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: example(model) });
    this.input.oninput = () => model.setText(this.input.value);
    this.fault = element("span", { className: "fault", role: "status" });
    this.rows = model.designs.map((design, i) => this.row(design, i));
    this.body = element("tbody", {}, ...this.rows);
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) model.choose(Number(row.dataset.design));
    });
    this.body.addEventListener("keydown", (event) => this.press(event));
    this.heads = ["design", "state", ...model.columns].map((column, k) => this.head(column, k));
    const table = element("table", { className: "designs" }, element("caption", { text: allDesigns(model) }), element("thead", {}, element("tr", {}, ...this.heads)), this.body);
    this.place = place;
    place.replaceChildren(
      element("div", { className: "table-filter" }, element("label", { text: "Only designs with " }, this.input), this.fault),
      element("div", { className: "scroller tall", tabindex: 0, role: "region", "aria-label": "All designs" }, table),
      takingButtons(model, () => this.shown(), () => "designs", false));
    this.update();
  }

  head(column, k) {
    const name = column.label ?? column;
    const goal = column.goal ? ` (${column.goal})` : "";
    const isText = k < 2 || Boolean(column.choices);
    return element("th", { scope: "col", className: isText ? "words" : "", "aria-sort": "none" }, button(`${name}${goal}`, () => this.sort(k), { title: printable(name) }));
  }

  row(design, i) {
    const cells = this.model.columns.map((column) =>
      element("td", { className: column.choices ? "words" : "", text: column.output === null ? short(column.cell(design)) : withError(column.cell(design), column.error(design)) }));
    return element("tr", { "data-design": i }, element("td", { className: "words" }, element("button", { type: "button", text: design.id, "aria-label": `Choose ${design.id}` })), element("td", { className: "words" }, badge(design.state)), ...cells);
  }

  sort(k) {
    const isDescending = this.sorted?.k === k && !this.sorted.isDescending;
    this.sorted = { k, isDescending };
    const sign = isDescending ? -1 : 1;
    const key = (row) => this.model.rows[row.dataset.design][k];
    this.rows.sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
    });
    this.body.append(...this.rows);
    for (const [i, head] of this.heads.entries()) head.setAttribute("aria-sort", i === k ? (isDescending ? "descending" : "ascending") : "none");
  }

  /** Designs that fit, in the order of the table. */
  shown() {
    return this.rows.map((row) => Number(row.dataset.design)).filter((i) => this.model.fits[i]);
  }

  press(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { model } = this;
    if (event.key.toLowerCase() === "p" && model.chosen !== null) model.togglePin(model.chosen);
    else if (by) {
      model.step(this.shown(), by);
      this.body.querySelector(`tr[data-design="${model.chosen}"] button`)?.focus();
    } else return;
    event.preventDefault();
  }

  /** Tables of as many columns as fit side by side, each with the designs named anew: on paper nothing scrolls. */
  putOnPaper(width) {
    this.takeOffPaper();
    const longest = (k) => this.rows.reduce((most, row) => Math.max(most, row.children[k].textContent.length), 0);
    const widths = this.heads.map((_, k) => PAPER.letter * longest(k) + PAPER.sides);
    const room = width - widths.slice(0, FIXED).reduce((sum, each) => sum + each, 0);
    const groups = [];
    let left = 0;
    for (let k = FIXED; k < widths.length; k += 1) {
      if (!groups.length || widths[k] > left) {
        groups.push([]);
        left = room;
      }
      groups.at(-1).push(k);
      left -= widths[k];
    }
    this.place.append(...groups.map((columns, i) => this.paper(columns, i ? "The same designs, further columns" : allDesigns(this.model))));
  }

  paper(columns, caption) {
    const kept = (row) => [...row.children].filter((_, k) => k < FIXED || columns.includes(k)).map((cell) => cell.cloneNode(true));
    const rows = this.rows.filter((row) => !row.hidden).map((row) => element("tr", {}, ...kept(row)));
    const heads = kept(this.heads[0].parentElement);
    for (const head of heads) head.textContent = head.textContent; // Chromium repeats no head that holds a button
    return element("div", { className: "on-paper" }, element("table", { className: "designs" }, element("caption", { text: caption }),
      element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
  }

  takeOffPaper() {
    for (const paper of this.place.querySelectorAll(".on-paper")) paper.remove();
  }

  update() {
    const { model } = this;
    for (const row of this.rows) {
      const i = Number(row.dataset.design);
      row.hidden = !model.fits[i];
      row.classList.toggle("chosen", i === model.chosen);
      row.classList.toggle("pinned", model.pins.includes(i));
    }
    if (this.input.value !== model.text) this.input.value = model.text;
    this.fault.textContent = printable(model.fault);
  }
}

function allDesigns(model) {
  const [n, nToday] = [model.designs.length, model.today.length];
  if (n === 1) return "The one design on the front";
  return n === nToday ? `All ${n} designs on the front` : `All ${n} designs: ${nToday} on the front, ${n - nToday} recommended before`;
}

function example(model) {
  const column = model.columns.find(({ choices, parameter }) => !choices && parameter !== null) ?? model.objectives[0];
  return column ? printable(`such as ${column.name} < ${short(column.scale.value(0.5))}`) : "";
}
