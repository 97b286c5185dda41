// @ts-check
/** An error that the server, or the network, gave: its message is for people. */
export class Refused extends Error {
  /** @param {string} words @param {number} status */
  constructor(words, status) {
    super(words);
    this.status = status;
  }
}

/**
 * A request of the own origin. Who is not known any more is asked who they are.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body] sent as JSON
 * @param {string} [accept]
 * @returns {Promise<Response>} one that went well
 * @throws {Refused}
 */
export async function send(method, path, body, accept = "application/json") {
  /** @type {Record<string, string>} */
  const headers = { Accept: accept };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch {
    throw new Refused("The server cannot be reached.", 0);
  }
  if (response.ok) return response;
  if (response.status === 401 && location.pathname !== "/login") {
    location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
  }
  throw new Refused(await words(response), response.status);
}

/** @param {Response} response */
async function words(response) {
  try {
    const problem = await response.json();
    return String(problem.detail || problem.title || response.statusText);
  } catch {
    return response.statusText || `The server answered ${response.status}.`;
  }
}

/**
 * Show a message in an element's `[data-fault]`.
 * @param {ParentNode} inside
 * @param {unknown} error
 */
export function tell(inside, error) {
  const place = inside.querySelector("[data-fault]");
  if (place) place.textContent = error instanceof Error ? error.message : error ? String(error) : "";
}
