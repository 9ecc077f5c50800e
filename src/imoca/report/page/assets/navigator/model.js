// The designs of a front, which of them fit what the reader wants, which is chosen and which are pinned.
import { Scale, scaleOf } from "./scale.js";
import { conditionsOf } from "./conditions.js";
import { labelled, short, withError } from "./text.js";

export const MOST_PINS = 4;
const DEVIATIONS_OF_INTERVAL = 1.6448536; // to either side of a normal number that hold it in nine cases of ten

export class Model {
  constructor(content) {
    this.content = content;
    this.designs = content.designs;
    this.today = content.designs.filter(({ earlier }) => !earlier); // the others were recommended before
    this.outputs = content.columns.filter(({ kind }) => kind !== "parameter");
    this.columns = content.columns.map((column, i) => new Column(column, i, this, this.outputs.length));
    this.objectives = this.columns.filter(({ kind }) => kind === "objective");
    this.rows = this.designs.map((design) => [design.id, design.state, ...this.columns.map((column) => column.cell(design))]);
    this.names = ["design", "state", ...this.columns.map(({ name }) => name)];
    this.ranges = new Map(); // by the name of a column: [lowest, highest]
    this.text = "";
    this.chosen = content.begin[0]?.design ?? (this.designs.length ? 0 : null);
    this.pins = [];
    this.listeners = [];
    this.filter();
  }

  /** What the reader wanted of an earlier front, as far as it is still there. */
  take(other) {
    const names = new Set(this.columns.map(({ name }) => name));
    this.ranges = new Map([...other.ranges].filter(([name]) => names.has(name)));
    this.text = other.text;
    const place = (i) => this.designs.findIndex(({ id }) => id === other.designs[i]?.id);
    this.pins = other.pins.map(place).filter((i) => i >= 0);
    if (other.isTouched && other.chosen !== null && place(other.chosen) >= 0) this.chosen = place(other.chosen);
    this.isTouched = other.isTouched;
    this.filter();
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    this.filter();
    for (const listener of this.listeners) listener();
  }

  filter() {
    const { fault, isMet } = conditionsOf(this.text, this.names);
    this.fault = fault;
    const wanted = this.columns.filter(({ name }) => this.ranges.has(name)).map((column) => [column, this.ranges.get(column.name)]);
    this.fits = this.designs.map((design, i) =>
      wanted.every(([column, [low, high]]) => column.number(design) >= low && column.number(design) <= high) && isMet(this.rows[i]));
    this.nFitting = this.fits.filter(Boolean).length;
  }

  /** A range that holds everything is none. */
  setRange(column, low, high) {
    if (low <= column.scale.low && high >= column.scale.high) this.ranges.delete(column.name);
    else this.ranges.set(column.name, [low <= column.scale.low ? -Infinity : low, high >= column.scale.high ? Infinity : high]);
    this.changed();
  }

  setText(text) {
    this.text = text;
    this.changed();
  }

  clear() {
    this.ranges.clear();
    this.text = "";
    this.changed();
  }

  choose(i) {
    this.chosen = i;
    this.isTouched = true;
    this.changed();
  }

  /** The next fitting design, in an order of designs. */
  step(order, by) {
    const open = order.filter((i) => this.fits[i]);
    if (!open.length) return;
    const at = open.indexOf(this.chosen);
    const from = at < 0 && by < Infinity ? -by : at; // a choice that does not fit is left for the first one
    this.choose(open[Math.max(0, Math.min(open.length - 1, from + by))]);
  }

  togglePin(i) {
    if (this.pins.includes(i)) this.pins = this.pins.filter((each) => each !== i);
    else if (this.pins.length < MOST_PINS) this.pins = [...this.pins, i];
    this.changed();
  }

  get isFull() {
    return this.pins.length >= MOST_PINS;
  }
}

/** An objective, a constraint or a parameter. */
export class Column {
  constructor(content, place, { designs, today }, nOutputs) {
    Object.assign(this, content);
    this.label = [labelled(this.name, this.unit), ...(this.bound ? [this.bound] : [])].join(" ");
    this.output = place < nOutputs ? place : null;
    this.parameter = place < nOutputs ? null : place - nOutputs;
    this.isUpBetter = this.goal !== "minimize";
    if (this.choices) this.scale = new Scale(0, this.choices.length - 1, false);
    else if (this.parameter !== null) this.scale = new Scale(this.low, this.high, Boolean(this.log));
    else this.scale = scaleOf(...[today, designs].map((some) => some.map((design) => this.number(design))));
  }

  /** Measured where measured, else predicted. */
  cell(design) {
    if (this.parameter !== null) return design.parameters[this.parameter];
    return (design.measured ?? design.predicted)[this.output];
  }

  number(design) {
    const cell = this.cell(design);
    return this.choices ? this.choices.indexOf(cell) : cell;
  }

  /** Of a measured value its standard error, if it scatters. */
  error(design) {
    if (this.output === null) return null;
    return design.measured ? design.errors?.[this.output] ?? null : design.uncertainty[this.output];
  }

  /** The value as it is read, with its error and its unit. */
  words(design) {
    const value = this.output === null ? short(this.cell(design)) : withError(this.cell(design), this.error(design));
    return this.unit ? `${value} ${this.unit}` : value;
  }

  /** The interval that holds the truth in nine cases of ten. */
  interval(design) {
    if (this.output === null || (design.measured && !this.error(design))) return null;
    if (!design.measured) return [design.low[this.output], design.high[this.output]];
    const [value, reach] = [this.cell(design), DEVIATIONS_OF_INTERVAL * this.error(design)];
    return [value - reach, value + reach];
  }

  /** 0 where it is worst, 1 where it is best; of what is neither the share of its range. */
  merit(design) {
    const share = this.scale.share(this.number(design));
    return this.isUpBetter ? share : 1 - share;
  }
}

/** The pairs of objectives that trade off most: where the one gains, the other loses (rank correlation of merits). */
export function strongestTradeOffs(model, n) {
  const ranks = model.objectives.map((column) => ranked(model.today.map((design) => column.merit(design))));
  const pairs = [];
  for (let i = 0; i < ranks.length; i += 1)
    for (let j = i + 1; j < ranks.length; j += 1) pairs.push({ x: model.objectives[i], y: model.objectives[j], correlation: correlation(ranks[i], ranks[j]) });
  return pairs.sort((one, other) => one.correlation - other.correlation).slice(0, n);
}

function ranked(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const ranks = [];
  order.forEach((i, rank) => { ranks[i] = rank; });
  return ranks;
}

function correlation(one, other) {
  const mean = (one.length - 1) / 2;
  let [both, square] = [0, 0];
  for (let i = 0; i < one.length; i += 1) {
    both += (one[i] - mean) * (other[i] - mean);
    square += (one[i] - mean) ** 2;
  }
  return square ? both / square : 0;
}
