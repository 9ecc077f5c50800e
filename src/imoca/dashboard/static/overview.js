// How a study stands, in a few numbers.
import { duration, element, printable, short } from "./navigator/text.js";

export function showOverview(overview) {
  const { states, driver } = overview;
  const rest = [states.running && `${states.running} without an answer yet`, states.failed && `${states.failed} failed`];
  const goals = overview.objectives.map(({ name, goal }) => `${goal} ${name}`).join(", ");
  const verified = overview.cost_of_verification;
  const toVerify = verified ? `, ${short(verified)} of it to verify designs` : "";
  const tiles = [
    tile("Cost spent", overview.cost_spent === null ? "unknown" : short(overview.cost_spent), `full-fidelity runs${toVerify}`),
    tile("Trials", overview.n_trials, rest.filter(Boolean).join(", ")),
    tile("Failed runs", overview.n_failures),
    tile("Who drives it", driver ? `process ${driver.pid} on ${driver.host}` : "no process is driving this study", "", "words"),
    tile("Objectives", goals, "", "words"),
    tile("Method", overview.method, `seed ${overview.seed}`, "words"),
  ];
  document.getElementById("tiles").replaceChildren(...tiles);
  const failure = overview.last_failure;
  const line = document.getElementById("failure");
  line.hidden = !failure;
  if (failure) {
    const reason = failure.reason.trim().split("\n").at(-1);
    line.textContent = printable(`Last failure: trial ${failure.trial}, ${failure.simulator}: ${reason}`);
  }
}

export function showStanding(overview, isConnected) {
  const line = document.getElementById("standing");
  const { driver } = overview;
  line.dataset.kind = !isConnected ? "lost" : driver ? "running" : "idle";
  const since = driver ? duration(Math.max(0, Date.now() / 1000 - driver.since)) : "";
  line.textContent = !isConnected ? "connection lost, trying again" : driver ? `running for ${since}` : "no process is driving this study";
}

function tile(term, value, aside = "", className = "") {
  const shown = element("dd", { text: value, className });
  if (aside) shown.append(element("span", { text: aside, className: "aside" }));
  return element("div", {}, element("dt", { text: term }), shown);
}
