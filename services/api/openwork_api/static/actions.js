// @ts-check
import { send, tell } from "./send.js";

/** What can be done with a run: copy, ask again, delete. */
class Actions extends HTMLElement {
  connectedCallback() {
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (this.querySelectorAll("[data-do]"))) {
      button.hidden = false;
      button.addEventListener("click", () => this.act(button));
    }
    const dialog = this.dialog;
    dialog?.addEventListener("close", () => {
      if (dialog.returnValue === "delete") this.remove_();
      dialog.returnValue = "";
    });
  }

  /** @returns {HTMLDialogElement | null} */
  get dialog() {
    return this.querySelector("[data-dialog]");
  }

  /** @param {HTMLButtonElement} button */
  async act(button) {
    tell(this, "");
    try {
      if (button.dataset.do === "copy") await this.copy(button);
      else if (button.dataset.do === "replay") await this.replay(button);
      else if (button.dataset.do === "delete") this.ask();
    } catch (error) {
      tell(this, error);
      button.disabled = false;
    }
  }

  ask() {
    this.dialog?.showModal();
    /** @type {HTMLElement | null | undefined} */ (this.dialog?.querySelector("[value=keep]"))?.focus();
  }

  /** @param {HTMLButtonElement} button */
  async copy(button) {
    const words = /** @type {HTMLTemplateElement | null} */ (this.querySelector("[data-copy]"));
    await navigator.clipboard.writeText(words?.content.textContent ?? "");
    const before = button.textContent;
    button.textContent = "Copied";
    this.say("The answer was copied with its citations.");
    setTimeout(() => (button.textContent = before), 1800);
  }

  /** @param {HTMLButtonElement} button */
  async replay(button) {
    button.disabled = true;
    const asked = await (await send("POST", `/api/v1/runs/${this.dataset.run}/replay`)).json();
    location.assign(asked.links.page);
  }

  async remove_() {
    try {
      await send("DELETE", `/api/v1/runs/${this.dataset.run}`);
      location.assign("/history");
    } catch (error) {
      tell(this, error);
    }
  }

  /** @param {string} words */
  say(words) {
    const place = this.querySelector("[data-said]");
    if (place) place.textContent = words;
  }
}

customElements.define("ow-actions", Actions);
