// @ts-check
import { Refused, send, tell } from "./send.js";

/**
 * @typedef {{name: string, state: string, found?: number | null}} Source
 * @typedef {{verdict: string, text?: string | null}} Claim
 * @typedef {{step: string, done?: number, total?: number | null, counts?: Record<string, number>, sources?: Source[], assessment?: string | null,
 *   claims?: Claim[]}} Progress
 */
const LEAST_MS = 300;
const MOST_MS = 10_000;
const PASSES = new Set(["supported", "not_a_claim"]);
/** The words of the page itself: they are said once, where the page is made. @type {Record<string, Record<string, string>>} */
const WORDS = JSON.parse(document.querySelector("ow-run")?.getAttribute("data-words") ?? "{}");

/** A run that goes on: follows its events, and puts the answer in its place when it is there. */
class Run extends HTMLElement {
  connectedCallback() {
    this.steps = WORDS.steps ?? {};
    this.since = Date.parse(this.dataset.since ?? "") || Date.now();
    const shown = parseInt(this.part("[data-elapsed]")?.textContent ?? "0", 10);
    this.skew = Date.now() - this.since - shown * 1000; // the clocks of server and reader may differ
    this.clock = setInterval(() => this.tick(), 1000);
    this.follow();
    const cancel = /** @type {HTMLButtonElement | null} */ (this.part("[data-cancel]"));
    if (cancel) {
      cancel.hidden = false;
      cancel.addEventListener("click", () => this.cancel(cancel));
    }
  }

  disconnectedCallback() {
    clearInterval(this.clock);
    clearTimeout(this.again);
    clearTimeout(this.waiting);
    this.events?.close();
  }

  /** @param {string} selector @returns {HTMLElement | null} */
  part(selector) {
    return this.querySelector(selector);
  }

  get elapsed() {
    return Math.max(0, Date.now() - this.since - this.skew) / 1000;
  }

  tick() {
    const place = this.part("[data-elapsed]");
    if (place) place.textContent = `${Math.round(this.elapsed)} s`;
  }

  follow() {
    const events = (this.events = new EventSource(`/api/v1/runs/${this.dataset.run}/events`));
    events.addEventListener("open", () => this.away(false));
    events.addEventListener("progress", (event) => this.show(JSON.parse(event.data).progress));
    events.addEventListener("notice", (event) => tell(this, JSON.parse(event.data).message));
    events.addEventListener("document", () => this.over());
    events.addEventListener("deleted", () => location.assign("/history"));
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) this.over();
      else this.away(true);
    });
  }

  /** Said only when it lasts: a browser connects again by itself. @param {boolean} is */
  away(is) {
    if (is && this.waiting) return;
    clearTimeout(this.waiting);
    this.waiting = undefined;
    const note = this.part("[data-away]");
    if (!note) return;
    if (is) this.waiting = setTimeout(() => (note.hidden = false), 4000);
    else note.hidden = true;
  }

  /** @param {Progress} progress */
  show(progress) {
    const now = this.steps[progress.step] ?? "search";
    let before = true;
    for (const step of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("[data-step]"))) {
      const is = step.dataset.step === now;
      before = before && !is;
      if (before && step.dataset.state !== "done") this.stamp(step);
      step.dataset.state = is ? "now" : before ? "done" : "waiting";
      const words = step.querySelector("[data-step-words]");
      if (words) words.textContent = is ? ": at work" : before ? ": done" : "";
      if (is) this.say(step.querySelector(".step-name")?.firstChild?.textContent ?? "");
    }
    for (const [key, n] of Object.entries(progress.counts ?? {})) {
      const place = this.part(`[data-count="${CSS.escape(key)}"]`);
      if (!place) continue;
      place.hidden = false;
      const number = place.querySelector("b");
      if (number) number.textContent = n.toLocaleString("en");
    }
    const done = this.part(`[data-done="${CSS.escape(progress.step)}"]`);
    if (done && progress.total) {
      done.textContent = `${(progress.done ?? 0).toLocaleString("en")} of ${progress.total.toLocaleString("en")} studies`;
      done.hidden = false;
    }
    this.replace("[data-sources]", (progress.sources ?? []).map(source));
    const claims = (progress.claims ?? []).filter((claim) => claim.text && PASSES.has(claim.verdict)).map(sentence);
    if (claims.length) this.replace("[data-claims]", claims);
    const soFar = this.part("[data-so-far]");
    if (soFar && claims.length) soFar.hidden = false;
    const assessed = this.part("[data-assessed]");
    if (assessed && progress.assessment) {
      assessed.textContent = WORDS.assessed?.[progress.assessment] ?? progress.assessment;
      assessed.hidden = false;
    }
  }

  /** When a step was done, of those that ended before our eyes. @param {Element} step */
  stamp(step) {
    const place = step.querySelector("[data-step-time]");
    if (place) place.textContent = `done at ${this.elapsed.toFixed(1)} s`;
  }

  /** @param {string} selector @param {Node[]} nodes */
  replace(selector, nodes) {
    if (nodes.length) this.part(selector)?.replaceChildren(...nodes);
  }

  /** What a listener hears: the step, not every number. @param {string} words */
  say(words) {
    const place = this.part("[data-state-words]");
    if (place && words && place.textContent !== words) place.textContent = words;
  }

  /** The run may be over: the page says whether, and is put in the place of this one. */
  async over() {
    this.events?.close();
    try {
      const response = await send("GET", location.pathname, undefined, "text/html");
      if (response.redirected) {
        location.reload(); // to whoever asks who this is
        return;
      }
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const main = page.querySelector("main");
      if (!main || main.querySelector("ow-run")) {
        this.later();
        return;
      }
      document.title = page.title;
      document.querySelector("main")?.replaceWith(document.adoptNode(main));
      scrollTo({ top: 0 });
      main.focus({ preventScroll: true });
    } catch (error) {
      if (error instanceof Refused && error.status !== 404) this.later();
      else location.reload();
    }
  }

  /** Ask again, each time after a longer while. */
  later() {
    this.away(true);
    this.pause = Math.min(MOST_MS, 2 * (this.pause ?? LEAST_MS));
    this.again = setTimeout(() => this.follow(), this.pause);
  }

  /** @param {HTMLButtonElement} button */
  async cancel(button) {
    button.disabled = true;
    try {
      await send("POST", `/api/v1/runs/${this.dataset.run}/cancel`, {});
    } catch (error) {
      tell(this, error);
      button.disabled = false;
    }
  }
}

/** @param {Source} one */
function source(one) {
  const found = one.state === "completed" && one.found != null;
  const words = found ? `${one.found?.toLocaleString("en")} found` : (WORDS.states?.[one.state] ?? one.state);
  const item = line("li", [WORDS.names?.[one.name] ?? one.name, ""], [words, "soft"]);
  item.dataset.sourceState = one.state;
  return item;
}

/** @param {Claim} one */
function sentence(one) {
  const item = line("li", [one.text ?? "", ""], [WORDS.verdicts?.[one.verdict] ?? one.verdict, "soft"]);
  item.firstElementChild?.setAttribute("dir", "auto");
  return item;
}

/** @param {string} tag @param {[string, string][]} parts words and class */
function line(tag, ...parts) {
  const made = document.createElement(tag);
  for (const [words, name] of parts) {
    const span = document.createElement("span");
    span.textContent = words;
    if (name) span.className = name;
    made.append(span, " ");
  }
  return made;
}

customElements.define("ow-run", Run);
