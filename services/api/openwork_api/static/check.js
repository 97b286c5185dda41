// @ts-check
import { send, tell } from "./send.js";

/** The form of a draft and its sources; the remarks come as a part of the page. */
class Check extends HTMLElement {
  connectedCallback() {
    const form = /** @type {HTMLFormElement | null} */ (this.querySelector("form"));
    if (!form) return;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.guard(form, () => this.check());
    });
    this.querySelector("[data-add]")?.addEventListener("click", () => this.add());
    this.querySelector("[data-look-up]")?.addEventListener("click", () => this.guard(form, () => this.lookUp()));
    this.addEventListener("click", (event) => {
      const target = event.target instanceof Element ? event.target.closest("[data-remove]") : null;
      const row = target?.closest("[data-row]");
      if (row) this.drop(row);
    });
  }

  /** @returns {HTMLElement[]} */
  get rows() {
    return [...this.querySelectorAll("[data-rows] [data-row]")].map((row) => /** @type {HTMLElement} */ (row));
  }

  add() {
    const template = /** @type {HTMLTemplateElement | null} */ (this.querySelector("[data-row-template]"));
    const row = template?.content.firstElementChild?.cloneNode(true);
    if (!(row instanceof HTMLElement)) return;
    const highest = Math.max(0, ...this.rows.map((one) => Number(value(one, "n")) || 0));
    this.querySelector("[data-rows]")?.append(row);
    const number = /** @type {HTMLInputElement | null} */ (row.querySelector("[name=n]"));
    if (number) number.value = String(highest + 1);
    this.count();
    number?.focus();
  }

  /** @param {Element} row */
  drop(row) {
    if (this.rows.length === 1) this.add();
    row.remove();
    this.count();
    /** @type {HTMLElement | null} */ (this.querySelector("[data-add]"))?.focus();
  }

  count() {
    this.rows.forEach((row, place) => {
      const name = row.querySelector("[data-place]");
      if (name) name.textContent = String(place + 1);
      row.querySelector("[data-remove]")?.setAttribute("aria-label", `Remove source ${place + 1}`);
    });
  }

  /** One thing at a time, and what goes wrong is said. @param {HTMLFormElement} form @param {() => Promise<void>} act */
  async guard(form, act) {
    const buttons = [.../** @type {NodeListOf<HTMLButtonElement>} */ (form.querySelectorAll("button"))];
    for (const button of buttons) button.disabled = true;
    tell(this, "");
    try {
      await act();
    } catch (error) {
      tell(this, error);
    }
    for (const button of buttons) button.disabled = false;
  }

  async check() {
    await this.lookUp();
    const without = this.rows.filter((row) => !value(row, "text"));
    if (without.length) {
      field(without[0], "text")?.focus();
      throw new Error("A source has no words yet: paste them, or give a PMID or DOI that can be looked up.");
    }
    const place = /** @type {HTMLElement} */ (this.querySelector("[data-report]"));
    const draft = /** @type {HTMLTextAreaElement} */ (this.querySelector("[name=draft]")).value;
    const html = await (await send("POST", "/check", { text: draft, evidence: this.rows.map(item) })).text();
    const made = new DOMParser().parseFromString(html, "text/html");
    place.replaceChildren(...made.body.childNodes);
    place.scrollIntoView({ block: "start" });
    place.focus({ preventScroll: true });
  }

  /** The words of rows that have an identifier and none of their own. */
  async lookUp() {
    const said = /** @type {HTMLElement} */ (this.querySelector("[data-looked]"));
    const rows = this.rows.filter((row) => !value(row, "text") && (value(row, "pmid") || value(row, "doi")));
    said.hidden = true;
    if (!rows.length) return;
    const ids = rows.map((row) => (value(row, "pmid") ? `PMID ${value(row, "pmid")}` : `doi:${value(row, "doi")}`));
    const works = await (await send("POST", "/api/v1/lookup", { ids })).json();
    for (const { item } of works.found) fill(rows[item.n - 1], item);
    const words = [...works.missing.map((one) => one.reason), ...works.degradations];
    said.textContent = words.map((one) => (/[.!?]$/.test(one) ? one : `${one}.`)).join(" ");
    said.hidden = !words.length;
  }
}

/** @param {Element} row @param {Record<string, unknown>} found */
function fill(row, found) {
  for (const name of ["text", "title", "pmid", "doi", "nct_id", "status", "text_origin", "year"]) {
    const place = field(row, name);
    if (place && found[name] != null && !place.value) place.value = String(found[name]);
  }
  const title = row.querySelector("[data-title]");
  if (title) title.textContent = String(found.title ?? "");
}

/** @param {Element} row @param {string} name */
function field(row, name) {
  const found = row.querySelector(`[name="${name}"]`);
  return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : null;
}

/** @param {Element} row @param {string} name */
function value(row, name) {
  return field(row, name)?.value.trim() ?? "";
}

/** A row as the gate takes it; what was left empty is not sent. @param {Element} row */
function item(row) {
  /** @type {Record<string, unknown>} */
  const made = { n: Number(value(row, "n")), text: value(row, "text") };
  for (const name of ["title", "pmid", "doi", "nct_id", "status", "text_origin"]) {
    const given = value(row, name);
    if (given) made[name] = given;
  }
  if (value(row, "year")) made.year = Number(value(row, "year"));
  return made;
}

customElements.define("ow-check", Check);
