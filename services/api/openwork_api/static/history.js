// @ts-check
/** Two runs of a list, to be compared. */
class Pick extends HTMLElement {
  connectedCallback() {
    this.addEventListener("change", () => this.count());
    addEventListener("pageshow", () => this.count());
    this.count();
  }

  count() {
    const boxes = [.../** @type {NodeListOf<HTMLInputElement>} */ (this.querySelectorAll("[name=run]"))];
    const n = boxes.filter((box) => box.checked).length;
    for (const box of boxes) box.disabled = n >= 2 && !box.checked;
    const button = /** @type {HTMLButtonElement | null} */ (this.querySelector("[type=submit]"));
    if (button) button.disabled = n !== 2;
    const words = this.querySelector("[data-picked]");
    if (words) words.textContent = ["Tick two runs.", "One is ticked; tick another.", ""][n] ?? "";
  }
}

customElements.define("ow-pick", Pick);
