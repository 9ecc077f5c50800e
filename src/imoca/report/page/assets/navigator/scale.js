// Where values lie between the ends of an axis, and which of them are written beside it.
const WIDE = 10; // the largest over the smallest, from which positive values are shown by their logarithm

const STRETCH = 0.25; // of the reach of some values, by which others may widen their scale at each end

export class Scale {
  constructor(low, high, isLog) {
    this.low = low;
    this.high = high > low ? high : low + (Math.abs(low) || 1) * 1e-6;
    this.isLog = isLog && low > 0;
    [this.start, this.end] = [this.low, this.high].map((value) => this.measure(value));
  }

  measure(value) {
    return this.isLog ? Math.log(value) : value;
  }

  /** From 0 at the low end to 1 at the high one; beyond them for values beyond. */
  share(value) {
    if (this.isLog && value <= 0) return 0;
    return (this.measure(value) - this.start) / (this.end - this.start);
  }

  value(share) {
    const measured = this.start + share * (this.end - this.start);
    return this.isLog ? Math.exp(measured) : measured;
  }

  ticks(n) {
    const marks = this.isLog ? logTicks(this.low, this.high, n) : evenTicks(this.low, this.high, n);
    return marks.length > 1 ? marks : evenTicks(this.low, this.high, n);
  }
}

/** The scale of many values, some room at both ends; others may widen it a little, and may lie beyond. */
export function scaleOf(values, others = [], room = 0) {
  const [least, most] = endsOf(values.length ? values : others);
  const [lowest, highest] = endsOf([...values, ...others]);
  const [low, high] = most > least ? [Math.max(lowest, least - STRETCH * (most - least)), Math.min(highest, most + STRETCH * (most - least))] : [lowest, highest];
  const isLog = low > 0 && high > WIDE * low;
  const bare = new Scale(low, high, isLog);
  if (low === high) return new Scale(low - (Math.abs(low) || 1) * 0.05, high + (Math.abs(high) || 1) * 0.05, false);
  return room ? new Scale(bare.value(-room), bare.value(1 + room), isLog) : bare;
}

function endsOf(values) {
  const found = values.filter(Number.isFinite);
  return found.length ? [Math.min(...found), Math.max(...found)] : [0, 1];
}

function evenTicks(low, high, n) {
  const rough = (high - low) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) found.push(Number((i * step).toPrecision(12)));
  return found;
}

function logTicks(low, high, n) {
  const decades = [];
  for (let i = Math.floor(Math.log10(low)); i <= Math.ceil(Math.log10(high)); i += 1) decades.push(i);
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const marks = decades.flatMap((decade) => steps.map((step) => Number((step * 10 ** decade).toPrecision(3))));
    const kept = marks.filter((mark) => mark >= low && mark <= high);
    if (kept.length <= n + 1) return kept;
  }
  return decades.map((decade) => 10 ** decade).filter((mark) => mark >= low && mark <= high);
}

/** A number beside an axis: 1000, not 1e+03. */
export function tickText(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}
