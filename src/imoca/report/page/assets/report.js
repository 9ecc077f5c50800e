const NARROW = 600; // pixels: a phone, where a finger that scrolls the page must not zoom a figure
const PAPER = { width: 700, height: 680 }; // pixels that a sheet of A4 or Letter has for a figure below its words
const SMALLEST = 0.6; // of its size, for a figure that is too wide: its letters are to be read
const contentOf = (id) => document.getElementById(id).textContent;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let [figures, themes] = [{}, {}];

function draw(isDark) {
  const isNarrow = window.innerWidth < NARROW;
  for (const [name, figure] of Object.entries(figures)) {
    const place = document.getElementById("plot-" + name);
    Object.assign(place.style, { minWidth: figure.layout.meta.min_width + "px", width: "", zoom: "" });
    const layout = { ...figure.layout, template: themes[isDark ? "dark" : "light"] };
    if (isNarrow) layout.dragmode = layout.scene ? "orbit" : false;
    const config = { displaylogo: false, responsive: true, displayModeBar: isNarrow ? false : "hover" };
    Plotly.react(place, figure.data, layout, config);
  }
}

/** On paper nothing scrolls: what is wider or higher than a sheet is drawn as large as it needs to be, and made smaller. */
function drawOnPaper() {
  for (const [name, figure] of Object.entries(figures)) {
    const place = document.getElementById("plot-" + name);
    const zoom = Math.min(1, Math.max(SMALLEST, PAPER.width / figure.layout.meta.min_width), PAPER.height / figure.layout.height);
    const width = PAPER.width / zoom;
    Object.assign(place.style, { minWidth: "", width: width + "px", zoom: "" });
    const layout = { ...figure.layout, width, template: themes.light };
    Plotly.react(place, figure.data, layout, { displayModeBar: false });
    place.style.zoom = zoom;
  }
}

async function drawFirst() {
  const bytes = Uint8Array.from(atob(contentOf("figure-data")), (each) => each.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  ({ figures, themes } = await new Response(unpacked).json());
  draw(dark.matches);
}

const rest = document.getElementById("rest") ?? document.createElement("div");
const tradeOffs = new TradeOffs(document.getElementById("first"), rest);
tradeOffs.show(JSON.parse(contentOf("decision-data")));
dark.addEventListener("change", () => draw(dark.matches));
window.addEventListener("beforeprint", () => {
  tradeOffs.beforePrint(PAPER.width);
  drawOnPaper();
});
window.addEventListener("afterprint", () => {
  tradeOffs.afterPrint();
  draw(dark.matches);
});
requestAnimationFrame(() => setTimeout(drawFirst)); // the decision is on the screen before the figures
