// What the built pages do: boxes that scroll can be reached by keyboard, references can be copied.

const BOXES = "pre, .pst-scrollable-table-container, .cell_output > .output, div.math, .toc-box";

// A box that is wider than the column becomes a named stop of the tab key, and only then.
function nameBox(box) {
  const scrolls = box.scrollWidth > box.clientWidth + 1;
  box.classList.toggle("scrolls", scrolls);
  if (!scrolls) {
    for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    return;
  }
  const caption = box.querySelector("caption")?.textContent.replace(/#$/, "").trim();
  const kind = box.matches("pre") ? "Code" : box.matches("div.math") ? "Formula" : "Table";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", `${caption || kind}, scrolls sideways`);
}

function watchBoxes() {
  const observer = new ResizeObserver((entries) => entries.forEach((entry) => nameBox(entry.target)));
  document.querySelectorAll(`.bd-article :is(${BOXES})`).forEach((box) => observer.observe(box));
}

function makeReferencesCopiable() {
  for (const button of document.querySelectorAll("button.copy-bibtex")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.bibtex);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy BibTeX"; }, 2000);
    });
  }
}

// An object, or its method, that stood on this page once and is linked from it now: old addresses
// lead on.
function followWhatMoved() {
  const name = location.hash.slice(1);
  if (!name || document.getElementById(name)) return;
  const links = [...document.querySelectorAll(".bd-article a.internal")];
  const link = links.find(({ hash }) => hash === location.hash) ??
    links.find(({ hash }) => hash && location.hash.startsWith(`${hash}.`));
  if (link) location.replace(link.href.replace(link.hash, location.hash));
}

// One switch, remembered, shows or folds all proofs.
function foldProofs() {
  const button = document.querySelector("button.proofs");
  if (!button) return;
  const shown = () => localStorage.getItem("proofs") === "shown";
  const apply = () => {
    for (const proof of document.querySelectorAll("div.proof > details")) proof.open = shown();
    button.textContent = shown() ? "Fold the proofs" : "Show the proofs";
  };
  button.addEventListener("click", () => {
    localStorage.setItem("proofs", shown() ? "folded" : "shown");
    apply();
  });
  button.hidden = false;
  apply();
}

function openAround(hash) {
  const target = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
  const folded = target && target.closest("details:not([open])");
  if (!folded) return;
  folded.open = true;
  openAround(hash); // it may lie in another one
  target.scrollIntoView();
}

// What is folded is open where a link leads.
function openWhereLinksLead() {
  openAround(location.hash);
  addEventListener("hashchange", () => openAround(location.hash));
}

// The theme's arrows that unfold the contents have no name.
function nameToggles() {
  for (const toggle of document.querySelectorAll("nav summary:has(> .toctree-toggle)")) {
    const page = toggle.closest("li").querySelector("a").textContent.trim();
    toggle.setAttribute("aria-label", `Pages of ${page}`);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  followWhatMoved();
  foldProofs();
  openWhereLinksLead();
  nameToggles();
  watchBoxes();
  makeReferencesCopiable();
});
