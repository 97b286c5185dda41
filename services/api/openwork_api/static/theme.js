// @ts-check
// Colours: as the system has them, light, or dark. No module: it runs before the page is drawn.
(() => {
  const KEY = "openwork-theme";
  const ORDER = ["", "light", "dark"];
  const WORDS = { "": "as the system has them", light: "light", dark: "dark" };
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(KEY) ?? "";
    } catch {
      return "";
    }
  };
  /** @param {string} theme */
  const apply = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  apply(stored());
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const name = () => button.setAttribute("aria-label", `Colours: ${WORDS[stored()] ?? ""}`);
    button.hidden = false;
    name();
    button.addEventListener("click", () => {
      const next = ORDER[(ORDER.indexOf(stored()) + 1) % ORDER.length];
      try {
        localStorage.setItem(KEY, next);
      } catch { /* it holds for this page */ }
      apply(next);
      name();
    });
  });
})();
