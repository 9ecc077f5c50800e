// One slider with two handles per objective and constraint: "at most 12".
import { button, element, printable } from "./text.js";
import { tickText } from "./scale.js";

const STEPS = 200; // from one end to the other

export class Sliders {
  constructor(place, model) {
    this.model = model;
    this.rows = model.columns.filter(({ output }) => output !== null).map((column) => this.row(column));
    this.count = element("output", { className: "count", role: "status" });
    this.all = button("Show all", () => model.clear());
    place.replaceChildren(element("div", { className: "slider-rows" }, ...this.rows.map(({ shown }) => shown)), element("div", { className: "slider-foot" }, this.count, this.all));
    this.update();
  }

  row(column) {
    const [low, high] = ["lowest", "highest"].map((end) =>
      element("input", { type: "range", min: 0, max: STEPS, "aria-label": printable(`${column.name}, ${end}`) }));
    const told = element("span", { className: "told" });
    const fill = element("span", { className: "fill" });
    const track = element("div", { className: "track" }, fill, low, high);
    const arrow = column.goal ? (column.isUpBetter ? " ↑" : " ↓") : "";
    const shown = element("div", { className: "slider" }, element("span", { className: "name", text: [`${column.name}${arrow}`, ...(column.bound ? [column.bound] : [])].join(" "), title: printable([column.name, column.goal ?? column.bound].join(", ")) }), told, track);
    const row = { column, low, high, told, fill, shown };
    low.oninput = () => this.moved(row, low);
    high.oninput = () => this.moved(row, high);
    return row;
  }

  /** A handle pushes the other one before it. */
  moved({ column, low, high }, by) {
    if (Number(low.value) > Number(high.value)) (by === low ? high : low).value = by.value;
    const [from, to] = [low, high].map(({ value }) => Number(value) / STEPS);
    this.model.setRange(column, from <= 0 ? -Infinity : column.scale.value(from), to >= 1 ? Infinity : column.scale.value(to));
  }

  update() {
    for (const { column, low, high, told, fill, shown } of this.rows) {
      const [from, to] = this.model.ranges.get(column.name) ?? [-Infinity, Infinity];
      const steps = [from, to].map((value) => STEPS * Math.max(0, Math.min(1, Number.isFinite(value) ? column.scale.share(value) : value > 0 ? 1 : 0)));
      for (const [i, input] of [low, high].entries()) {
        if (document.activeElement !== input || Math.abs(Number(input.value) - steps[i]) >= 1) input.value = Math.round(steps[i]);
        input.setAttribute("aria-valuetext", tickText(column.scale.value(Number(input.value) / STEPS)));
      }
      fill.style.left = `${(100 * steps[0]) / STEPS}%`;
      fill.style.right = `${100 - (100 * steps[1]) / STEPS}%`;
      told.textContent = printable(rangeWords(from, to) + (column.unit && (Number.isFinite(from) || Number.isFinite(to)) ? ` ${column.unit}` : ""));
      shown.classList.toggle("limited", Number.isFinite(from) || Number.isFinite(to));
    }
    const { nFitting, designs } = this.model;
    this.count.textContent = nFitting === designs.length ? counted(designs.length) : `${nFitting} of ${counted(designs.length)} ${nFitting === 1 ? "fits" : "fit"}`;
    this.all.disabled = !this.model.ranges.size && !this.model.text;
  }
}

const counted = (n) => (n === 1 ? "1 design" : `${n} designs`);

export function rangeWords(low, high) {
  if (Number.isFinite(low) && Number.isFinite(high)) return `${tickText(low)} to ${tickText(high)}`;
  if (Number.isFinite(high)) return `at most ${tickText(high)}`;
  return Number.isFinite(low) ? `at least ${tickText(low)}` : "any";
}
