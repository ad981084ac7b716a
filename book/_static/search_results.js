// The search page: what was found (search.js), each with some words around what was looked for.

const EXCERPT = 220;
const WORD = /[\p{L}\p{N}]+/gu;

// Some words around the first that was looked for.
function excerpt(text, isSought) {
  const first = [...text.matchAll(WORD)].find(([word]) => isSought(word))?.index ?? 0;
  const hit = Math.max(first - EXCERPT / 3, 0);
  const start = hit > 0 ? text.indexOf(" ", hit) + 1 : 0;
  const more = start + EXCERPT < text.length;
  const end = more ? text.lastIndexOf(" ", start + EXCERPT) : text.length;
  return (start ? "… " : "") + text.slice(start, end) + (more ? " …" : "");
}

// The text as nodes, with the words that were looked for marked.
function marked(text, isSought) {
  return text.split(/([\p{L}\p{N}]+)/u).map((piece, i) => {
    if (i % 2 === 0 || !isSought(piece)) return piece;
    const mark = document.createElement("mark");
    mark.textContent = piece;
    return mark;
  });
}

function listItem({ page, anchor, title, kind, text }, isSought) {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = `${page}.html${anchor && `#${anchor}`}`;
  link.textContent = title;
  if (kind) item.append(` (${kind})`);
  item.appendChild(document.createElement("p")).append(...marked(excerpt(text, isSought), isSought));
  return item;
}

function show(query) {
  const { count, shown } = search.rank(query);
  const isSought = search.looksFor(query);
  const output = document.querySelector("#search-results");
  const heading = output.appendChild(document.createElement("h2"));
  heading.textContent = `Results for “${query}”`;
  const status = output.appendChild(document.createElement("p"));
  const best = count > shown.length ? `the best ${shown.length} are shown` : "the best first";
  status.textContent = count
    ? `${count} found, ${best}.`
    : "Nothing was found: try fewer or other words.";
  output.appendChild(document.createElement("ol")).append(
    ...shown.map((one) => listItem(one, isSought)));
}

const query = new URLSearchParams(location.search).get("q")?.trim();
if (query) {
  document.querySelectorAll('input[name="q"]').forEach((field) => { field.value = query; });
  show(query);
}
