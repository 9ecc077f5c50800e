// Figures come from the server as plotly's JSON; here they only take on the colours and the width of the page.
import { getJson, studyPath } from "./api.js";
import { element, plotlyText, printable } from "./navigator/text.js";

const TOP = 14; // pixels above a plot once its heading stands outside and its legend below
const PANEL_TITLES = 40; // pixels above if its panels have titles of their own
const TITLE_LINE = 18; // pixels of each line of them
const PHONE = 500; // pixels of a window below which the titles of axes are smaller
const LEGEND = 40; // pixels below for that
const NARROW = 600; // pixels that a figure has beside another one
const PAD = 0.3; // of the front's extent, that is shown around it
const CONFIG = { displayModeBar: false, responsive: true, showTips: false };

let plotly = null;

/** plotly.js is large: it is fetched after the table is on the screen. */
export function loadPlotly() {
  plotly ??= new Promise((resolve, reject) => {
    const script = element("script", { src: "/static/plotly.min.js" });
    script.onload = () => {
      globalThis.Plotly.setPlotConfig({ logging: 0 });
      resolve(globalThis.Plotly);
    };
    script.onerror = () => reject(new Error("plotly.js cannot be loaded."));
    document.head.append(script);
  });
  return plotly;
}

/** Draw a figure into a canvas; what is clicked there goes to `onPoint`. */
export async function draw(canvas, figure, onPoint) {
  const { newPlot, react } = await loadPlotly();
  const { data, layout: bare } = withoutBars(figure);
  const layout = themed(withoutTags(bare), data.some((trace) => trace.showlegend));
  const inner = canvas.firstElementChild ?? canvas.appendChild(element("div"));
  canvas.closest(".plot").classList.toggle("wide", (layout.meta?.min_width ?? 0) > NARROW);
  inner.style.minWidth = `${layout.meta?.min_width ?? 280}px`;
  inner.style.height = `${layout.height}px`;
  if (inner.classList.contains("js-plotly-plot")) {
    await react(inner, data, layout, CONFIG);
  } else {
    await newPlot(inner, data, layout, CONFIG);
    if (onPoint) inner.on("plotly_click", (event) => onPoint(event.points[0]));
  }
}

/** Words instead of the bar beside a figure that tells colours: plotly.js draws it with style attributes, which the page's policy refuses. */
function withoutBars(figure) {
  const titles = figure.data.filter(({ marker }) => marker?.showscale).map(({ marker }) => marker.colorbar?.title?.text ?? "");
  if (!titles.length) return figure;
  const data = figure.data.map((trace) => (trace.marker?.showscale ? { ...trace, marker: { ...trace.marker, showscale: false } } : trace));
  const place = { xref: "paper", yref: "paper", x: 1, y: 1, xanchor: "right", yanchor: "bottom", showarrow: false };
  const words = { ...place, text: `colour: ${titles[0]}` };
  return { ...figure, data, layout: { ...figure.layout, annotations: [...(figure.layout.annotations ?? []), words] } };
}

/** A copy without tags but for line ends: plotly.js sets them by style attributes, which the page's policy refuses. */
function withoutTags(content) {
  if (typeof content === "string") return content.replace(/<(?!br>)[^>]*>/g, "");
  if (Array.isArray(content)) return content.map(withoutTags);
  if (content === null || typeof content !== "object") return content;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, withoutTags(value)]));
}

function themed(layout, hasLegend) {
  const style = getComputedStyle(document.documentElement);
  const [ink, line, paper] = ["--ink", "--line", "--paper"].map((name) => style.getPropertyValue(name).trim());
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line };
  const base = layout.template?.layout ?? {};
  const font = { size: innerWidth < PHONE ? 11 : 13 };
  const scene = {};
  for (const name of ["xaxis", "yaxis", "zaxis"]) scene[name] = { ...base.scene?.[name], ...axis, color: ink, backgroundcolor: paper };
  layout.template = {
    ...layout.template,
    layout: {
      ...base,
      paper_bgcolor: paper,
      plot_bgcolor: paper,
      font: { ...base.font, color: ink },
      hoverlabel: { ...base.hoverlabel, bgcolor: paper, bordercolor: line, font: { color: ink } },
      xaxis: { ...base.xaxis, ...axis, title: { ...base.xaxis?.title, font } },
      yaxis: { ...base.yaxis, ...axis, title: { ...base.yaxis?.title, font } },
      scene,
    },
  };
  const below = hasLegend ? LEGEND : 0;
  const nLines = Math.max(0, ...(layout.annotations ?? []).map(({ text }) => text.split("<br>").length));
  const top = nLines ? Math.max(PANEL_TITLES, TITLE_LINE * nLines) : TOP;
  layout.height += below - Math.max(0, layout.margin.t - top);
  layout.margin = { ...layout.margin, t: top, b: layout.margin.b + below };
  layout.legend = { orientation: "h", xref: "container", x: 0.5, xanchor: "center", yref: "container", y: 0, yanchor: "bottom" };
  layout.uirevision = "kept"; // what the reader zoomed into stays when points are added
  delete layout.title;
  delete layout.width;
  return layout;
}

/** The front in a plane, with everything that was measured at whatever accuracy behind it. */
function withObserved(figure, observed) {
  if (observed?.columns.length !== 2 || !observed.numbers.length) return figure;
  const trace = {
    type: "scatter",
    mode: "markers",
    name: "measured, at any accuracy",
    meta: "observed",
    x: observed.columns[0],
    y: observed.columns[1],
    customdata: observed.numbers,
    hovertemplate: "trial %{customdata}<extra></extra>",
    marker: { color: "#888888", size: 5, opacity: 0.5 },
    showlegend: true,
  };
  if (!figure) return { data: [trace], layout: plane(observed.names) };
  const layout = structuredClone(figure.layout);
  for (const axis of ["x", "y"]) Object.assign(layout[`${axis}axis`], around(figure.data.flatMap((each) => extent(each, axis))));
  return { data: [trace, ...figure.data], layout };
}

/** A layout for the measured points alone. */
function plane(names) {
  const [x, y] = names.map((name) => ({ title: { text: plotlyText(name) }, showline: true, ticks: "outside", automargin: true }));
  return { xaxis: x, yaxis: y, height: 460, margin: { l: 70, r: 24, t: TOP, b: 60 } };
}

/** The range of an axis that shows the front and its surroundings; double-click shows every point. */
function around(values) {
  if (!values.length) return {};
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const pad = (high - low || Math.abs(high) || 1) * PAD;
  return { range: [low - pad, high + pad] };
}

/** Where the points of a trace and their bars lie along an axis. */
function extent(trace, axis) {
  const values = numbers(trace[axis]);
  const bars = numbers(trace[`error_${axis}`]?.array);
  return values.flatMap((value, i) => (bars.length ? [value - bars[i], value + bars[i]] : [value]));
}

/** Plotly sends long columns as bytes. */
function numbers(column) {
  if (!column?.bdata) return Array.from(column ?? []);
  const bytes = Uint8Array.from(atob(column.bdata), (each) => each.charCodeAt(0));
  const kinds = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
  return Array.from(new kinds[column.dtype](bytes.buffer));
}

/** A matrix of planes out of plain scatters: plotly.js draws its own with compiled code, which the page's policy refuses. */
function asPlanes(figure) {
  if (!figure.data.some(({ type }) => type === "splom")) return figure;
  const n = figure.data[0].dimensions.length - 1;
  const layout = structuredClone(figure.layout);
  layout.grid = { rows: n, columns: n, pattern: "coupled", xgap: 0.05, ygap: 0.05 };
  const data = [];
  for (let row = 1; row <= n; row += 1) {
    for (let column = 1; column <= row; column += 1) {
      for (const { type, dimensions, diagonal, showupperhalf, ...look } of figure.data) {
        const [x, y] = [dimensions[column - 1], dimensions[row]];
        const places = { xaxis: `x${column}`, yaxis: `y${row}`, showlegend: row === 1, legendgroup: look.name };
        data.push({ ...look, ...places, type: "scatter", mode: "markers", x: x.values, y: y.values });
        for (const [axis, i, label] of [["x", column, x.label], ["y", row, y.label]]) {
          const key = `${axis}axis${i === 1 ? "" : i}`;
          layout[key] = { ...layout[key], title: { ...layout[key]?.title, text: label } };
        }
      }
    }
  }
  return { data, layout };
}

/** The figures of one study at a time. */
export class Figures {
  constructor(place, onPoint) {
    Object.assign(this, { place, onPoint, study: null, cards: new Map() });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  /** A card for every figure that the server knows, in its order. */
  list(gallery) {
    for (const { name, title } of gallery) {
      if (this.cards.has(name)) continue;
      const note = element("p", { className: "note", text: "being computed" });
      const reading = element("p", { className: "reading" });
      const canvas = element("div", { className: "canvas" });
      this.place.append(element("figure", { className: "plot", "data-figure": name }, element("h3", { text: title }), reading, note, canvas));
      this.cards.set(name, { note, reading, canvas, figure: null, stamp: null, isBusy: false });
    }
  }

  show(study) {
    this.study = study;
    this.observed = null;
    for (const card of this.cards.values()) {
      Object.assign(card, { figure: null, stamp: null });
      card.canvas.replaceChildren();
      card.reading.textContent = "";
      card.note.textContent = "being computed";
    }
  }

  /** Fetch those that are newer on the server. */
  update(stamps, mark) {
    for (const [name, card] of this.cards) {
      const stamp = stamps[name];
      if (stamp && stamp !== card.stamp) this.fetch(name, card, stamp);
      if (card.figure) card.note.textContent = stamp === mark ? "" : "being computed anew";
    }
  }

  async fetch(name, card, stamp) {
    if (card.isBusy) return; // the next event asks again
    card.isBusy = true;
    const study = this.study;
    try {
      const figure = await getJson(`${studyPath(study)}/figures/${name}`);
      if (study !== this.study) return;
      card.stamp = stamp;
      if (figure.fault) {
        card.figure = null;
        card.reading.textContent = "";
        card.note.textContent = printable(figure.fault);
      } else {
        card.figure = figure;
        card.reading.textContent = printable(figure.reading);
        card.note.textContent = "";
        await this.draw(name, card);
      }
    } catch (error) {
      card.note.textContent = error.message;
    } finally {
      card.isBusy = false;
    }
  }

  redraw() {
    for (const [name, card] of this.cards) this.draw(name, card);
  }

  draw(name, card) {
    const figure = name === "front" ? withObserved(card.figure, this.observed) : card.figure;
    if (!figure) return null;
    if (!figure.data.length) return card.canvas.replaceChildren(); // its reading says why
    return draw(card.canvas, asPlanes(figure), (point) => this.onPoint(name, point, this.cards.get(name).figure));
  }

  /** Measured points are drawn at once; the front follows when it is computed. */
  setObserved(observed) {
    const isSame = observed.numbers.length === this.observed?.numbers.length;
    this.observed = observed;
    const card = this.cards.get("front");
    if (card && !isSame) this.draw("front", card);
  }
}
