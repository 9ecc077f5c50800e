// Designs in the plane of two objectives, their likely intervals as bars, a third objective as colour.
import { drawn, labelled, printable, shortened } from "./text.js";
import { scaleOf, tickText } from "./scale.js";

const MARGIN = { left: 58, right: 14, top: 10, bottom: 44 };
const UPRIGHT = { title: 28, letter: 7 }; // pixels beside the upright axis: for its title, and of a letter of its ticks
const ROOM = 0.06; // of an axis, beyond the outermost design
const MOST_BARS = 30; // more would cover the points
const REACH = 28; // pixels from a design within which a press means it
const COLOURS = [[0, 114, 178], [143, 153, 163], [230, 159, 0]]; // from the worst to the best
const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity };

export class Plane {
  constructor(place, model, { x, y, colour = null, height = 380, hasBars = true }) {
    Object.assign(this, { place, model, x, y, colour, height, hasBars });
    this.order = model.designs.map((_, i) => i).sort((i, j) => x.number(model.designs[i]) - x.number(model.designs[j]));
    place.classList.add("chart");
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", printable(`${x.name} and ${y.name} of the designs; arrow keys choose, P pins`));
    place.onkeydown = (event) => onChartKey(event, model, this.order);
    place.onclick = (event) => this.press(event);
    this.watcher = new ResizeObserver(() => place.clientWidth !== this.width && this.draw());
    this.watcher.observe(place);
    this.draw();
  }

  draw(width = this.place.clientWidth) {
    const { x, y, model, height } = this;
    this.width = width || 480;
    [this.xScale, this.yScale] = [x, y].map((column) => scaleOf(...[model.today, model.designs].map((some) => some.map((design) => column.number(design))), ROOM));
    this.yTicks = this.yScale.ticks(Math.max(2, Math.floor(height / 60)));
    this.left = Math.max(MARGIN.left, UPRIGHT.title + UPRIGHT.letter * Math.max(...this.yTicks.map((value) => tickText(value).length)));
    this.svg = drawn("svg", { viewBox: `0 0 ${this.width} ${height}`, width: "100%", height, "aria-hidden": "true" });
    this.svg.append(this.axes(), drawn("g", { class: "bars" }, ...this.bars()));
    this.points = model.designs.map((design, i) => this.point(design, i));
    const order = { earlier: 0, doubtful: 1, predicted: 2, verified: 3 };
    const upper = this.points.map((_, i) => i).sort((i, j) => order[model.designs[i].state] - order[model.designs[j].state]);
    this.marks = drawn("g");
    this.svg.append(...upper.map((i) => this.points[i]), this.marks);
    this.place.replaceChildren(this.svg);
    this.update();
  }

  /** One beyond an axis, which only an earlier design can be, at its end. */
  at(design) {
    const { right, top, bottom } = MARGIN;
    return [within(this.px(this.x.number(design)), this.left, this.width - right), within(this.py(this.y.number(design)), top, this.height - bottom)];
  }

  px(value) {
    return this.left + this.xScale.share(value) * (this.width - this.left - MARGIN.right);
  }

  py(value) {
    return this.height - MARGIN.bottom - this.yScale.share(value) * (this.height - MARGIN.top - MARGIN.bottom);
  }

  axes() {
    const { width, height } = this;
    const [left, right, top, bottom] = [this.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
    const group = drawn("g", { class: "axes" });
    for (const value of this.xScale.ticks(Math.max(2, Math.floor(width / 90)))) {
      group.append(drawn("line", { class: "grid", x1: this.px(value), x2: this.px(value), y1: top, y2: bottom }));
      group.append(drawn("text", { x: this.px(value), y: bottom + 16, "text-anchor": "middle", text: tickText(value) }));
    }
    for (const value of this.yTicks) {
      group.append(drawn("line", { class: "grid", x1: left, x2: right, y1: this.py(value), y2: this.py(value) }));
      group.append(drawn("text", { x: left - 6, y: this.py(value) + 4, "text-anchor": "end", text: tickText(value) }));
    }
    const [long, high] = [Math.floor((right - left) / 7), Math.floor((bottom - top) / 7)];
    const middle = (top + bottom) / 2;
    group.append(
      drawn("text", { class: "title", x: (left + right) / 2, y: height - 8, "text-anchor": "middle", text: axisTitle(this.x, long) }),
      drawn("text", { class: "title", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})`, text: axisTitle(this.y, high) }));
    return group;
  }

  point(design, i) {
    const [x, y] = this.at(design);
    const shape = design.state === "verified"
      ? drawn("path", { d: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z` })
      : drawn("circle", { cx: x, cy: y, r: design.state === "earlier" ? 3 : 4.5 });
    shape.setAttribute("class", `point ${design.state}`);
    shape.setAttribute("data-design", i);
    if (this.colour) shape.style.fill = colourAt(this.colour.merit(design));
    shape.append(drawn("title", { text: described(this.model, design) }));
    return shape;
  }

  /** Of some designs evenly spread, for those of all would hide them. */
  bars() {
    if (!this.hasBars) return [];
    const { designs } = this.model;
    const open = this.order.filter((i) => !designs[i].measured && designs[i].state !== "earlier");
    const step = Math.max(1, open.length / MOST_BARS);
    const kept = open.filter((_, k) => Math.floor(k / step) !== Math.floor((k - 1) / step));
    const scattering = this.order.filter((i) => designs[i].errors);
    return [...kept.map((i) => this.bar(i, "bar")), ...scattering.map((i) => this.bar(i, "bar measured"))];
  }

  bar(i, className) {
    const design = this.model.designs[i];
    const [x, y] = this.at(design);
    const [left, right] = (this.x.interval(design) ?? [this.x.number(design), this.x.number(design)]).map((value) => this.px(value));
    const [low, high] = (this.y.interval(design) ?? [this.y.number(design), this.y.number(design)]).map((value) => this.py(value));
    const [bottom, top] = [this.height - MARGIN.bottom, MARGIN.top];
    const [start, end] = [this.left, this.width - MARGIN.right];
    return drawn("path", {
      class: className,
      "data-design": i,
      d: `M${within(left, start, end)} ${y}H${within(right, start, end)}M${x} ${within(low, top, bottom)}V${within(high, top, bottom)}`,
    });
  }

  update() {
    const { model } = this;
    for (const [i, point] of this.points.entries()) point.classList.toggle("out", !model.fits[i]);
    for (const bar of this.svg.querySelectorAll(".bar")) bar.classList.toggle("out", !model.fits[bar.dataset.design]);
    const pins = model.pins.map((i, k) => {
      const [x, y] = this.at(model.designs[i]);
      return drawn("g", { class: "pin" }, drawn("circle", { cx: x, cy: y, r: 8 }), drawn("text", { x: x + 10, y: y - 6, text: k + 1 }));
    });
    const chosen = model.chosen === null ? [] : [this.hasBars ? this.bar(model.chosen, "chosen-bar") : drawn("g"), this.ring(model.chosen)];
    this.marks.replaceChildren(...pins, ...chosen);
  }

  ring(i) {
    const [cx, cy] = this.at(this.model.designs[i]);
    return drawn("circle", { class: "ring", "data-chosen": i, cx, cy, r: 9 });
  }

  press(event) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) * this.width) / box.width, event.clientY - box.top];
    let [best, least] = [null, REACH ** 2];
    for (const [i, design] of this.model.designs.entries()) {
      const [px, py] = this.at(design);
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (this.model.fits[i] && distance < least) [best, least] = [i, distance];
    }
    if (best !== null) this.model.choose(best);
  }

  remove() {
    this.watcher.disconnect();
  }
}

function within(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

/** Arrow keys choose, P pins. */
export function onChartKey(event, model, order) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in KEYS) model.step(order, KEYS[event.key]);
  else if (event.key.toLowerCase() === "p" && model.chosen !== null) model.togglePin(model.chosen);
  else return;
  event.preventDefault();
}

export function colourAt(merit) {
  const place = Math.max(0, Math.min(1, merit)) * (COLOURS.length - 1);
  const i = Math.min(COLOURS.length - 2, Math.floor(place));
  const mixed = COLOURS[i].map((from, k) => Math.round(from + (place - i) * (COLOURS[i + 1][k] - from)));
  return `rgb(${mixed.join(", ")})`;
}

export function described(model, design) {
  return `${design.id}, ${design.state}: ${model.columns.map((column) => `${column.name} ${column.words(design)}`).join(", ")}`;
}

const BETTER = "← better   ";

function axisTitle(column, longest) {
  const room = Math.max(6, longest - BETTER.length);
  const whole = printable(labelled(column.name, column.unit)); // a unit is left out before a name is cut
  const name = whole.length <= room ? whole : shortened(column.name, room);
  if (column.goal === "minimize") return `${BETTER}${name}`;
  return column.goal ? `${name}   better →` : name;
}
