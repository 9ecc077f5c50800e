// All requests of the page. A token, if the server wants one, stands behind the # of the page's address.
const given = new URLSearchParams(location.hash.slice(1));
const token = given.get("token");

export const wantedStudy = given.get("study");

/** Keep the choice in the address, so that reloading the page shows the same study. */
export function rememberStudy(id) {
  const kept = new URLSearchParams({ study: id });
  if (token) kept.set("token", token);
  history.replaceState(null, "", `#${kept}`);
}

export function address(path, pairs = []) {
  const query = new URLSearchParams(pairs);
  if (token) query.set("token", token);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function get(path, pairs) {
  const response = await fetch(address(path, pairs));
  if (!response.ok) throw new Error(await response.text());
  return response;
}

export const studyPath = (id) => `/api/studies/${encodeURIComponent(id)}`;
export const getJson = async (path, pairs) => (await get(path, pairs)).json();
export const getText = async (path, pairs) => (await get(path, pairs)).text();
export const listen = (path) => new EventSource(address(path));
