// @ts-check
import { send, tell } from "./send.js";

/** The question field: Enter asks, an example is asked with one click. */
class Ask extends HTMLElement {
  connectedCallback() {
    const form = /** @type {HTMLFormElement | null} */ (this.querySelector("form"));
    const field = /** @type {HTMLTextAreaElement | null} */ (this.querySelector("textarea"));
    if (!form || !field) return;
    if (matchMedia("(hover: hover)").matches) field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(form);
    });
    for (const link of this.querySelectorAll("[data-example]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        field.value = /** @type {HTMLElement} */ (link).dataset.example ?? "";
        form.requestSubmit();
      });
    }
  }

  /** @param {HTMLFormElement} form */
  async ask(form) {
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
    const data = new FormData(form);
    const question = String(data.get("q") ?? "").trim();
    if (!question || button.disabled) return;
    /** @type {Record<string, unknown>} */
    const options = {};
    const sources = data.getAll("source");
    if (sources.length) options.sources = sources;
    for (const name of ["deadline_s", "from_year", "to_year"]) {
      if (data.get(name)) options[name] = Number(data.get(name));
    }
    /** @type {Record<string, unknown>} */
    const body = { question, options };
    if (data.get("pipeline")) body.pipeline = data.get("pipeline");
    if (body.pipeline === "review" && data.get("max_studies")) options.max_studies = Number(data.get("max_studies"));
    button.disabled = true;
    tell(this, "");
    try {
      const asked = await (await send("POST", "/api/v1/runs", body)).json();
      location.assign(asked.links.page);
    } catch (error) {
      tell(this, error);
      button.disabled = false;
    }
  }
}

addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("ow-ask [type=submit]")) {
    /** @type {HTMLButtonElement} */ (button).disabled = false;
  }
});
customElements.define("ow-ask", Ask);
