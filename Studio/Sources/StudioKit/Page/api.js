// Requests to the server. What fails is a Failure with the server's code and sentence.

export class Failure extends Error {
  constructor(answer) {
    super(answer.message);
    this.code = answer.code;
    this.position = answer.position;
    this.suggestions = answer.suggestions ?? [];
    this.now = answer.now;
  }
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure({ code: "offline", message: "The Studio has ended. Start it again." });
  }
  if (response.ok) return response.json();
  let answer;
  try {
    answer = await response.json();
  } catch {
    answer = { code: "request", message: `The server answers with ${response.status}.` };
  }
  throw new Failure(answer);
}

export function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  // A form would have '+' for a space, which an address does not.
  return `/api/files${path}?${query.toString().replaceAll("+", "%20")}`;
}

export function get(path, parameters = {}, signal = undefined) {
  return request(address(path, parameters), { signal });
}

export function getResults() { return request("/api/results"); }

// Ends what was asked for by a request with the parameter `task`.
export function stop(task) {
  return request(`/api/stop?task=${encodeURIComponent(task)}`, { method: "POST" });
}

// How far that is: { done, all }; null once it has ended.
export function progress(task) {
  return request(`/api/progress?task=${encodeURIComponent(task)}`);
}

export function post(path, body, parameters = {}) {
  return request(address(path, parameters), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
}

// Sends bytes to an address.
export function send(path, body, signal) {
  return request(path, { method: "POST", body, signal });
}

export function events(path, parameters) {
  return new EventSource(address(path, parameters));
}
