// @ts-check
import { send } from "./send.js";

const WIDE = matchMedia("(min-width: 62.01rem)");
const CLOSE = '<path d="M6 6l12 12M18 6 6 18" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>';

/**
 * Opens the passage behind a citation: beside the answer where there is room, as a sheet where there is not.
 * The link's own id in the address says which, so that an opened passage can be linked; without this module the link
 * leads to the passage's page.
 */
class Passage extends HTMLElement {
  connectedCallback() {
    /** @type {Map<string, Element>} */
    this.known = new Map();
    this.dialog = document.createElement("dialog");
    this.dialog.className = "panel";
    this.dialog.setAttribute("aria-label", "Passage");
    this.dialog.innerHTML = '<div class="panel-top"><a data-own>Open as a page</a></div>'
      + '<div class="panel-in" tabindex="0"></div>';
    const close = document.createElement("button");
    close.type = "button";
    close.className = "quiet";
    close.setAttribute("aria-label", "Close the passage");
    close.innerHTML = `<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">${CLOSE}</svg>`;
    close.addEventListener("click", () => this.close());
    this.dialog.querySelector(".panel-top")?.append(close);
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.outside(event));
    this.append(this.dialog);
    this.on = new AbortController();
    const { signal } = this.on;
    document.addEventListener("click", (event) => this.clicked(event), { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    addEventListener("hashchange", () => this.fromAddress(), { signal });
    WIDE.addEventListener("change", () => this.open_ && this.show(this.open_), { signal });
    this.fromAddress();
  }

  disconnectedCallback() {
    this.on?.abort();
    document.body.classList.remove("with-panel");
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target : null;
    const link = /** @type {HTMLAnchorElement | null} */ (target?.closest("a[data-passage]"));
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (link === this.link && this.open_) {
      this.close();
      return;
    }
    if (link.id) history.replaceState(null, "", `#${link.id}`);
    this.open(link);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape" && this.open_ && !document.querySelector("dialog.ask-first[open]")) {
      event.preventDefault();
      this.close();
    }
  }

  /** @param {MouseEvent} event */
  outside(event) {
    const box = this.dialog?.getBoundingClientRect();
    if (box && (event.clientY < box.top || event.clientX < box.left)) this.close();
  }

  fromAddress() {
    const link = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (link instanceof HTMLAnchorElement && link.dataset.passage !== undefined) this.open(link);
  }

  /** @param {HTMLAnchorElement} link */
  async open(link) {
    this.mark(this.link, false);
    this.link = link;
    try {
      const article = await this.read(link.href);
      if (this.link === link) this.show(article);
    } catch {
      location.assign(link.href);
    }
  }

  /** @param {string} address */
  async read(address) {
    let found = this.known?.get(address);
    if (!found) {
      const html = await (await send("GET", address, undefined, "text/html")).text();
      const article = new DOMParser().parseFromString(html, "text/html").getElementById("passage");
      if (!article) throw new Error("no passage");
      for (const all of article.querySelectorAll("a[data-all]")) {
        all.setAttribute("href", new URL(all.getAttribute("href") ?? "", address).href);
      }
      found = document.adoptNode(article);
      this.known?.set(address, found);
    }
    return found;
  }

  /** @param {Element} article */
  show(article) {
    const { dialog } = this;
    const inside = /** @type {HTMLElement | null} */ (dialog?.querySelector(".panel-in"));
    if (!dialog || !inside) return;
    inside.replaceChildren(article);
    inside.scrollTop = 0;
    dialog.querySelector("[data-own]")?.setAttribute("href", this.link?.href ?? "");
    if (dialog.open) dialog.close();
    if (WIDE.matches) dialog.show();
    else dialog.showModal();
    document.body.classList.toggle("with-panel", WIDE.matches);
    this.open_ = article;
    this.mark(this.link, true);
    /** @type {HTMLElement | null} */ (article.querySelector("h2"))?.focus({ preventScroll: true });
    const words = /** @type {HTMLElement | null} */ (article.querySelector("mark"));
    if (words && words.offsetTop > inside.clientHeight * 0.75) {
      inside.scrollTop = words.offsetTop - inside.clientHeight * 0.4;
    }
    if (WIDE.matches) this.link?.scrollIntoView({ block: "nearest" });
  }

  close() {
    this.dialog?.close();
    this.open_ = undefined;
    document.body.classList.remove("with-panel");
    this.mark(this.link, false);
    if (this.link?.id && location.hash === `#${this.link.id}`) {
      history.replaceState(null, "", location.pathname + location.search);
    }
    this.link?.focus();
    this.link = undefined;
  }

  /** @param {HTMLElement | undefined} link @param {boolean} is */
  mark(link, is) {
    if (is) link?.setAttribute("aria-expanded", "true");
    else link?.removeAttribute("aria-expanded");
  }
}

customElements.define("ow-passage", Passage);
