// @ts-check
import { send, tell } from "./send.js";

/** A key for a session. */
class Login extends HTMLElement {
  connectedCallback() {
    const form = /** @type {HTMLFormElement | null} */ (this.querySelector("form"));
    form?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.enter(form);
    });
    this.known();
  }

  /** Who has a session may end it. */
  async known() {
    const out = /** @type {HTMLButtonElement | null} */ (this.querySelector("[data-out]"));
    if (!out) return;
    try {
      const who = await (await send("GET", "/api/v1/session")).json();
      if (!who.person) return;
    } catch {
      return;
    }
    out.hidden = false;
    out.addEventListener("click", async () => {
      try {
        await send("DELETE", "/api/v1/session");
        location.assign("/login");
      } catch (error) {
        tell(this, error);
      }
    });
  }

  /** @param {HTMLFormElement} form */
  async enter(form) {
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
    button.disabled = true;
    tell(this, "");
    try {
      await send("POST", "/api/v1/session", { key: String(new FormData(form).get("key") ?? "").trim() });
      location.assign(this.dataset.next ?? "/");
    } catch (error) {
      tell(this, error);
      button.disabled = false;
    }
  }
}

customElements.define("ow-login", Login);
