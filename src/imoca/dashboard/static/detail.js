// One trial, or one predicted design, in full.
import { getJson, getText, studyPath } from "./api.js";
import { duration, element, moment, printable, short } from "./navigator/text.js";

const EARLIER = "Recommended before; the model of today sees others ahead of it, but it is not surely worse. Not run at full accuracy yet.";
const STREAMS = { stdout: "Standard output", stderr: "Standard error" };

export class Detail {
  constructor(onClose) {
    this.dialog = document.getElementById("detail");
    this.title = document.getElementById("detail-title");
    this.body = document.getElementById("detail-body");
    this.onClose = onClose;
    this.number = null;
    document.getElementById("close").addEventListener("click", () => this.close());
    this.dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  async showTrial(study, number) {
    this.study = study;
    this.number = number;
    try {
      const trial = await getJson(`${studyPath(study)}/trials/${number}`);
      if (study !== this.study || number !== this.number) return;
      this.open(`Trial ${number}, ${trial.state}`, trialParts(trial, study));
    } catch (error) {
      this.open(`Trial ${number}`, [element("p", { text: error.message })]);
    }
  }

  /** Show the trial anew if it is open: it may have been answered meanwhile. */
  refresh(study, rows) {
    if (this.dialog.open && study === this.study && rows.some((row) => row[0] === this.number)) this.showTrial(study, this.number);
  }

  showDesign(point) {
    this.number = null;
    const predicted = Object.entries(point.predicted).map(([name, value]) => [name, `${Number(value.toPrecision(6))} ± ${Number(point.uncertainty[name].toPrecision(2))}`]);
    this.open(`Predicted design ${point.id}`, [
      element("p", { text: point.is_earlier ? EARLIER : "On the front as the model sees it; not run at full accuracy yet." }),
      ...part("Parameters", Object.entries(point.parameters)),
      ...part("Predicted at full accuracy, ± typical error", predicted),
      ...(point.feasibility < 1 ? part("Feasible", [["probability", point.feasibility.toFixed(2)]]) : []),
    ]);
  }

  open(title, parts) {
    this.title.textContent = printable(title);
    this.body.replaceChildren(...parts);
    if (this.dialog.open) return;
    this.returnTo = document.activeElement;
    this.dialog.show();
    this.title.focus();
  }

  close() {
    if (!this.dialog.open) return;
    this.dialog.close();
    this.number = null;
    this.onClose();
    if (this.returnTo?.isConnected) this.returnTo.focus({ preventScroll: true });
  }
}

function trialParts(trial, study) {
  return [
    ...part("Parameters", Object.entries(trial.parameters)),
    ...part("Fidelity", Object.entries(trial.fidelities).filter(([, value]) => value !== null)),
    ...part("Values", Object.entries(trial.values).map(([name, value]) => [name, name in trial.errors ? `${value} ± ${trial.errors[name]}` : value])),
    ...part("Predicted before it was run, and the 90 % interval", promises(trial.promised)),
    ...part("Cost, in the simulator's own units", Object.entries(trial.costs)),
    ...part("Cost of lost attempts", Object.entries(trial.wasted)),
    ...Object.entries(trial.failures).flatMap(([name, why]) => [element("h3", { text: `Failure of ${name}` }), lines(why)]),
    ...(trial.runs.length ? [element("h3", { text: "Runs" })] : []),
    ...trial.runs.map((run, i) => runPart(run, i, trial.number, study)),
  ];
}

function promises(promised) {
  return Object.entries(promised).map(([name, [value, low, high]]) => [name, `${short(value)}, ${short(low)} to ${short(high)}`]);
}

function part(title, pairs) {
  if (!pairs.length) return [];
  const list = element("dl", { className: "pairs" });
  for (const [name, value] of pairs) list.append(element("dt", { text: name }), element("dd", { text: value }));
  return [element("h3", { text: title }), list];
}

function lines(text) {
  const shown = element("pre", { tabindex: 0 });
  shown.textContent = text.split("\n").map(printable).join("\n");
  return shown;
}

function runPart(run, i, number, study) {
  const took = run.ended === null ? "" : `, ${duration(run.ended - run.started)}`;
  const box = element("div", { className: "run" },
    element("div", { text: `${run.simulator}, attempt ${run.attempt}: ${run.state}${took}` }),
    element("div", { className: "note", text: `started ${moment(run.started)}` }));
  for (const [name, why] of Object.entries(run.failures)) box.append(element("div", { className: "note", text: `${name}: ${why}` }));
  if (!run.logs.length) return box;
  const log = element("pre", { tabindex: 0, "aria-live": "polite" });
  log.hidden = true;
  const actions = run.logs.map((stream) => {
    const button = element("button", { type: "button", text: STREAMS[stream] });
    button.addEventListener("click", async () => {
      log.hidden = false;
      try {
        log.textContent = (await getText(`${studyPath(study)}/trials/${number}/log`, [["run", i], ["stream", stream]])) || "(empty)";
      } catch (error) {
        log.textContent = error.message;
      }
      log.scrollTop = log.scrollHeight;
    });
    return button;
  });
  box.append(element("div", { className: "actions" }, ...actions), log);
  return box;
}
