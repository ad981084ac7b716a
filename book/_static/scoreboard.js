/* Filters of the scoreboard. Without this script the page is complete, as plain tables. */

/* A table of links is one stop of the tab key; arrows lead on inside. */
function makeOneStop(table) {
  const seen = () => [...table.querySelectorAll("a[href]")].filter((a) => a.getClientRects().length);
  const stopAt = (link) => {
    for (const other of table.querySelectorAll("a[href]")) other.tabIndex = other === link ? 0 : -1;
  };
  table.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const links = seen();
    const place = links.indexOf(document.activeElement);
    if (!step || place < 0) return;
    event.preventDefault();
    const row = links[place].closest("tr");
    const vertical = ["ArrowUp", "ArrowDown"].includes(event.key);
    let next = place + step;
    while (vertical && links[next] && links[next].closest("tr") === row) next += step;
    if (links[next]) {
      stopAt(links[next]);
      links[next].focus();
    }
  });
  return () => stopAt(seen()[0]);
}

document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("table.filtered");
  if (!table) return;
  const rows = [...table.querySelectorAll("tbody tr")];
  const cells = [...document.querySelectorAll("table.heat td[class*='verdict-']")];
  const verdicts = { agrees: "agrees", explained: "differs: explained", tuned: "differs: fits, tuned", open: "differs: not explained", apart: "not comparable" };
  const papers = new Map(rows.map((row) => [
    [...row.classList].find((name) => name.startsWith("paper-")),
    row.cells[0].textContent.trim().split(" ")[0],
  ]));

  const form = document.createElement("form");
  form.className = "ledger-filters";
  form.setAttribute("aria-label", "Filters of the scoreboard");
  const add = (text, control) => {
    const label = document.createElement("label");
    label.append(control, text);
    form.append(label);
    return control;
  };
  const boxes = Object.entries(verdicts).map(([name, text]) => {
    const box = add(text, document.createElement("input"));
    Object.assign(box, { type: "checkbox", checked: true, value: name });
    return box;
  });
  const paper = add("", document.createElement("select"));
  paper.setAttribute("aria-label", "Paper");
  paper.append(new Option("all papers", ""), ...[...papers].map(([name, text]) => new Option(text, name)));
  const words = add("", document.createElement("input"));
  Object.assign(words, { type: "search", placeholder: "a table, cell or cause" });
  words.setAttribute("aria-label", "Words in the list");
  const shown = document.createElement("output");
  form.append(shown);

  const restart = [...document.querySelectorAll("table.ledger")].map(makeOneStop);
  const apply = () => {
    const wanted = boxes.filter((box) => box.checked).map((box) => `verdict-${box.value}`);
    const has = (element) => wanted.some((name) => element.classList.contains(name));
    const needle = words.value.trim().toLowerCase();
    for (const row of rows) {
      row.hidden = !has(row) || (paper.value && !row.classList.contains(paper.value)) ||
        !row.textContent.toLowerCase().includes(needle);
    }
    for (const cell of cells) cell.classList.toggle("faded", !has(cell));
    for (const begin of restart) begin();
    shown.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows of the list`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.querySelector("#heat-maps").querySelector("h2").after(form);
  apply();
});

/* A link to a cause leads into a folded table. */
function openFolded() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target && target.closest("details:not([open])");
  if (!folded) return;
  folded.open = true;
  target.scrollIntoView();
}
document.addEventListener("DOMContentLoaded", openFolded);
addEventListener("hashchange", openFolded);
