const NARROW = 600; // pixels: a phone, where a finger that scrolls the page must not zoom a figure
const contentOf = (id) => JSON.parse(document.getElementById(id).textContent);
const { figures, themes } = contentOf("figure-data");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

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

const rest = document.getElementById("rest") ?? document.createElement("div");
new TradeOffs(document.getElementById("first"), rest).show(contentOf("decision-data"));
dark.addEventListener("change", () => draw(dark.matches));
window.addEventListener("beforeprint", () => draw(false));
window.addEventListener("afterprint", () => draw(dark.matches));
requestAnimationFrame(() => setTimeout(() => draw(dark.matches))); // the decision is on the screen before the figures
