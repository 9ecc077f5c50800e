const NARROW = 600; // pixels: a phone, where a finger that scrolls the page must not zoom a figure
const contentOf = (id) => document.getElementById(id).textContent;
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let [figures, themes] = [{}, {}];

function draw(isDark) {
  const isNarrow = window.innerWidth < NARROW;
  for (const [name, figure] of Object.entries(figures)) {
    const place = document.getElementById("plot-" + name);
    place.style.minWidth = figure.layout.meta.min_width + "px";
    const layout = { ...figure.layout, template: themes[isDark ? "dark" : "light"] };
    if (isNarrow) layout.dragmode = layout.scene ? "orbit" : false;
    const config = { displaylogo: false, responsive: true, displayModeBar: isNarrow ? false : "hover" };
    Plotly.react(place, figure.data, layout, config);
  }
}

async function drawFirst() {
  const bytes = Uint8Array.from(atob(contentOf("figure-data")), (each) => each.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  ({ figures, themes } = await new Response(unpacked).json());
  draw(dark.matches);
}

const rest = document.getElementById("rest") ?? document.createElement("div");
new TradeOffs(document.getElementById("first"), rest).show(JSON.parse(contentOf("decision-data")));
dark.addEventListener("change", () => draw(dark.matches));
window.addEventListener("beforeprint", () => draw(false));
window.addEventListener("afterprint", () => draw(dark.matches));
requestAnimationFrame(() => setTimeout(drawFirst)); // the decision is on the screen before the figures
