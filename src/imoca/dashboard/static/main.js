// The page: choose a study, then show what the server tells about it as it happens.
import { address, getJson, listen, rememberStudy, studyPath, wantedStudy } from "./api.js";
import { Comparison } from "./comparison.js";
import { Decide } from "./decide.js";
import { Detail } from "./detail.js";
import { Figures, loadPlotly } from "./figures.js";
import { showOverview, showStanding } from "./overview.js";
import { element, printable } from "./navigator/text.js";
import { TrialTable } from "./table.js";

const find = (id) => document.getElementById(id);
const ANNOUNCE = 5000; // milliseconds between two announcements, so that a reader is not talked over

const table = new TrialTable((number) => choose(number));
const detail = new Detail(() => table.choose(null));
const figures = new Figures(find("plots"), onPoint);
const comparison = new Comparison();
const decide = new Decide();
const PARTS = ["decision", "navigator", "overview", "figures", "trials"];
let studies = [];
let current = null; // id
let overview = null;
let isCatchingUp = false; // more of the table is to come
let events = null;
let unannounced = 0;
let announcing = null;

async function loadStudies() {
  try {
    ({ studies } = await getJson("/api/studies"));
  } catch (error) {
    complain(error.message);
    return;
  }
  const options = studies.map((study) => {
    const made = element("option", { value: study.id, text: study.fault ? `${study.name} (cannot be read)` : study.name });
    made.title = printable(study.path);
    return made;
  });
  find("study").replaceChildren(...options);
  const ids = studies.map(({ id }) => id);
  const readable = studies.find(({ fault }) => fault === null);
  const wanted = [current, wantedStudy].find((id) => ids.includes(id)) ?? readable?.id ?? ids[0];
  if (wanted === undefined) {
    find("standing").textContent = "no study";
    complain("There is no study here yet. Start one, then look for studies again.");
    for (const id of PARTS) find(id).hidden = true;
    return;
  }
  find("study").value = wanted;
  if (wanted !== current) show(wanted);
  comparison.offer(studies, studies.find(({ id }) => id === current));
}

function show(id) {
  current = id;
  overview = null;
  rememberStudy(id);
  events?.close();
  detail.close();
  table.reset([]);
  figures.show(id);
  decide.show(id);
  find("report").href = address(`${studyPath(id)}/report`);
  events = listen(`${studyPath(id)}/events`);
  events.onmessage = (message) => onNews(JSON.parse(message.data));
  events.onerror = () => overview && showStanding(overview, false);
}

function onNews(news) {
  const isNews = overview !== null && !isCatchingUp;
  isCatchingUp = !news.is_all;
  overview = news.overview;
  const { fault } = overview;
  complain(fault);
  for (const id of PARTS) find(id).hidden = Boolean(fault);
  document.title = printable(`${overview.name} · iMOCA`);
  if (news.reset) table.reset(news.columns);
  if (news.reset || news.rows.length) {
    const nNew = table.merge(news.rows);
    if (isNews) announce(nNew);
    detail.refresh(current, news.rows);
  }
  if (fault) {
    find("standing").textContent = "cannot be read";
    find("standing").dataset.kind = "lost";
    return;
  }
  table.isDriven = Boolean(overview.driver);
  showOverview(overview);
  showStanding(overview, true);
  decide.update(news.figures);
  figures.list(news.gallery);
  afterPaint(() => loadPlotly().then(() => drawFigures(news), (error) => complain(error.message)));
}

/** The table is on the screen before the large plotly.js is fetched and run. */
function afterPaint(work) {
  requestAnimationFrame(() => setTimeout(work));
}

function drawFigures(news) {
  // Meanwhile another study may be shown, or this one anew, or it may have become unreadable.
  if (news.overview.id !== current || !overview?.objectives) return;
  figures.setObserved(observed());
  figures.update(news.figures, news.moment);
}

/** What every objective was measured to be, at whatever accuracy. */
function observed() {
  const positions = overview.objectives.map(({ name }) => table.columns.findIndex((column) => column.group === "values" && column.name === name));
  const rows = table.rows.filter((row) => positions.every((i) => row[i] !== null));
  const names = overview.objectives.map(({ name }) => name);
  return { names, numbers: rows.map((row) => row[0]), columns: positions.map((i) => rows.map((row) => row[i])) };
}

function choose(number) {
  table.choose(number);
  detail.showTrial(current, number);
}

/** A point was clicked: the trial it belongs to, or the design that is predicted there. */
function onPoint(name, point, figure) {
  const number = point.customdata;
  if (number === undefined) return;
  const isFront = name === "front" && point.data.meta !== "observed" && !figure.not_on_front.includes(point.data.name);
  const design = isFront ? figure.points[number] : null;
  if (!isFront) choose(number);
  else if (design.trial !== null) choose(design.trial);
  else detail.showDesign(design);
}

function announce(nNew) {
  unannounced += nNew;
  if (!unannounced || announcing) return;
  announcing = setTimeout(() => {
    find("announcer").textContent = `${unannounced} new trial${unannounced === 1 ? "" : "s"}, ${table.rows.length} in all`;
    unannounced = 0;
    announcing = null;
  }, ANNOUNCE);
}

function complain(words) {
  find("message").hidden = !words;
  find("message").textContent = printable(words ?? "");
}

find("study").addEventListener("change", (event) => {
  show(event.target.value);
  comparison.offer(studies, studies.find(({ id }) => id === current));
});
find("reload").addEventListener("click", loadStudies);
for (const kind of ["csv", "json"]) find(`save-${kind}`).addEventListener("click", () => table.save(kind, overview?.name ?? "trials"));
loadStudies();
