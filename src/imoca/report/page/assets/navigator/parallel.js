// Designs as lines across columns, each with an axis of its own, on which a range can be drawn.
import { drawn, printable, shortened } from "./text.js";
import { tickText } from "./scale.js";
import { colourAt, described, onChartKey } from "./plane.js";

const MARGIN = { side: 44, top: 40, bottom: 26 };
const TITLE = { letter: 7.5, row: 17, beside: 2 }; // pixels of a letter and of a row, letters that arrow and gap take
const NARROWEST = 70; // pixels from one axis to the next; below, the chart scrolls
const BAND = 13; // pixels beside an axis that belong to it
const FINGER = 18; // the same for a finger, which there draws and elsewhere scrolls
const DRAG = 4; // pixels from which a press is a drag
const REACH = 14; // pixels from a line within which a press means it

export class Parallel {
  constructor(place, model, columns, height = 380) {
    Object.assign(this, { place, model, columns, height });
    this.colour = model.objectives[0] ?? columns[0];
    this.order = model.designs.map((_, i) => i).sort((i, j) => this.colour.merit(model.designs[i]) - this.colour.merit(model.designs[j]));
    place.classList.add("chart", "wide-chart");
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", "The designs as lines across their columns; arrow keys choose, P pins");
    place.onkeydown = (event) => onChartKey(event, model, this.order);
    place.onpointerdown = (event) => this.begin(event);
    place.addEventListener("touchstart", (event) => event.cancelable && this.axisAt(this.placeOf(event.touches[0])[0], FINGER) >= 0 && event.preventDefault(), { passive: false });
    this.watcher = new ResizeObserver(() => place.clientWidth !== this.shown && this.draw());
    this.watcher.observe(place);
    this.draw();
  }

  draw(width = this.place.clientWidth) {
    this.shown = width;
    this.width = Math.max(this.shown || 480, 2 * MARGIN.side + NARROWEST * (this.columns.length - 1));
    this.isStaggered = this.columns.some((column, k) => column.label.length > this.titleLength(k, 1));
    this.top = MARGIN.top + (this.isStaggered ? TITLE.row : 0);
    this.svg = drawn("svg", { viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height, "aria-hidden": "true" });
    this.lines = this.model.designs.map((design, i) => this.line(design, i));
    this.marks = drawn("g");
    this.ranges = drawn("g");
    this.svg.append(...this.order.map((i) => this.lines[i]), ...this.columns.map((column, k) => this.axis(column, k)), this.marks, this.ranges);
    this.place.replaceChildren(this.svg);
    this.update();
  }

  px(k) {
    const n = this.columns.length - 1;
    return n ? MARGIN.side + (k * (this.width - 2 * MARGIN.side)) / n : this.width / 2;
  }

  /** The better, the higher; of a parameter the larger. */
  py(column, share) {
    const height = column.isUpBetter ? share : 1 - share;
    return this.top + (1 - Math.max(0, Math.min(1, height))) * (this.height - this.top - MARGIN.bottom);
  }

  shareAt(column, y) {
    const height = 1 - (y - this.top) / (this.height - this.top - MARGIN.bottom);
    return Math.max(0, Math.min(1, column.isUpBetter ? height : 1 - height));
  }

  path(design) {
    return this.columns.map((column, k) => `${k ? "L" : "M"}${this.px(k).toFixed(1)} ${this.py(column, column.scale.share(column.number(design))).toFixed(1)}`).join("");
  }

  line(design, i) {
    const line = drawn("path", { d: this.path(design), class: `line ${design.state}`, "data-design": i, stroke: colourAt(this.colour.merit(design)) });
    line.append(drawn("title", { text: described(this.model, design) }));
    return line;
  }

  /** Over its axis; the outermost at the edges, where they would be cut. */
  titlePlace(k, x) {
    if (this.columns.length > 1 && k === 0) return { x: 2, "text-anchor": "start" };
    if (this.columns.length > 1 && k === this.columns.length - 1) return { x: this.width - 2, "text-anchor": "end" };
    return { x, "text-anchor": "middle" };
  }

  /** Letters that there is room for over an axis, where every so manieth title stands in its row. */
  titleLength(k, nRows) {
    const gap = nRows * (this.columns.length > 1 ? this.px(1) - this.px(0) : this.width);
    const room = k > 0 && k < this.columns.length - 1 ? gap : gap / 2 + MARGIN.side;
    return Math.max(4, Math.floor(room / TITLE.letter) - TITLE.beside);
  }

  axis(column, k) {
    const x = this.px(k);
    const longest = this.titleLength(k, this.isStaggered ? 2 : 1);
    const title = column.label.length <= longest ? column.label : shortened(column.name, longest);
    const group = drawn("g", { class: `axis ${column.kind}` });
    const arrow = column.goal ? (column.goal === "minimize" ? " ↓" : " ↑") : "";
    const ends = [0, 1].map((share) => this.py(column, share));
    const [top, bottom] = [Math.min(...ends), Math.max(...ends)];
    group.append(
      drawn("line", { x1: x, x2: x, y1: top, y2: bottom }),
      drawn("text", { class: "title", ...this.titlePlace(k, x), y: 16 + (this.isStaggered && k % 2 ? TITLE.row : 0), text: title + arrow }, drawn("title", { text: column.label })));
    for (const share of [0, 1]) {
      const y = this.py(column, share);
      group.append(drawn("text", { x, y: y === top ? y - 7 : y + 16, "text-anchor": "middle", text: endText(column, share) }));
    }
    return group;
  }

  update() {
    const { model } = this;
    for (const [i, line] of this.lines.entries()) line.classList.toggle("out", !model.fits[i]);
    const pins = model.pins.map((i) => drawn("path", { class: "pin-line", d: this.path(model.designs[i]) }));
    const chosen = model.chosen === null ? [] : [drawn("path", { class: "chosen-line", "data-chosen": model.chosen, d: this.path(model.designs[model.chosen]) })];
    this.marks.replaceChildren(...pins, ...chosen);
    this.ranges.replaceChildren(...this.columns.flatMap((column, k) => {
      const range = model.ranges.get(column.name);
      return range ? [this.band(column, k, range.map((value) => column.scale.share(Math.max(column.scale.low, Math.min(column.scale.high, value)))))] : [];
    }));
  }

  band(column, k, shares) {
    const ys = shares.map((share) => this.py(column, share));
    const y = Math.min(...ys);
    return drawn("rect", { class: "range", x: this.px(k) - 7, y, width: 14, height: Math.max(2, Math.abs(ys[1] - ys[0])) });
  }

  placeOf(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  axisAt(x, reach) {
    return this.columns.findIndex((_, k) => Math.abs(this.px(k) - x) <= reach);
  }

  /** On an axis a range is drawn, or taken away by a mere press; elsewhere the nearest line is chosen. */
  begin(event) {
    if (event.button !== 0) return;
    const [x, y] = this.placeOf(event);
    const k = this.axisAt(x, event.pointerType === "touch" ? FINGER : BAND);
    if (k < 0) {
      this.until((last) => { if (Math.abs(last.clientX - event.clientX) + Math.abs(last.clientY - event.clientY) < 2 * DRAG) this.chooseAt(x, y); });
      return;
    }
    event.preventDefault();
    this.place.focus({ preventScroll: true });
    const column = this.columns[k];
    this.place.setPointerCapture(event.pointerId);
    let hasMoved = false;
    this.place.onpointermove = (moved) => {
      const last = this.placeOf(moved)[1];
      hasMoved ||= Math.abs(last - y) > DRAG;
      if (!hasMoved) return;
      const ends = [y, last].map((each) => this.shareAt(column, each)).sort((a, b) => a - b);
      this.model.setRange(column, ...ends.map((share) => column.scale.value(share)));
    };
    this.until((_, isLifted) => {
      this.place.onpointermove = null;
      if (isLifted && !hasMoved) this.model.setRange(column, -Infinity, Infinity);
    }, true);
  }

  /** Calls back when the pointer is lifted; where a scroll takes it away only if told so. */
  until(over, isAlways = false) {
    const listening = new AbortController();
    const ended = (event) => {
      listening.abort();
      if (isAlways || event.type === "pointerup") over(event, event.type === "pointerup");
    };
    for (const kind of ["pointerup", "pointercancel"]) this.place.addEventListener(kind, ended, { signal: listening.signal });
  }

  chooseAt(x, y) {
    const n = this.columns.length - 1;
    const k = Math.max(0, Math.min(n - 1, Math.floor(((x - MARGIN.side) / (this.width - 2 * MARGIN.side)) * n)));
    let [best, least] = [null, REACH];
    for (const [i, design] of this.model.designs.entries()) {
      if (!this.model.fits[i]) continue;
      const [from, to] = [k, Math.min(n, k + 1)].map((each) => this.py(this.columns[each], this.columns[each].scale.share(this.columns[each].number(design))));
      const share = n ? (x - this.px(k)) / (this.px(k + 1) - this.px(k)) : 0;
      const distance = Math.abs(from + share * (to - from) - y);
      if (distance < least) [best, least] = [i, distance];
    }
    if (best !== null) this.model.choose(best);
  }

  remove() {
    this.watcher.disconnect();
  }
}

function endText(column, share) {
  if (column.choices) return shortened(printable(column.choices[share ? column.choices.length - 1 : 0]), 12);
  return tickText(share ? column.scale.high : column.scale.low);
}
