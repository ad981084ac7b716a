// The list of what search has found: Sphinx finds and ranks, excerpts come from PROSE (prose.js).

const EXCERPT = 220;

// Some words around the first of the words looked for, from the section if one was found.
function excerpt(page, anchor, words) {
  const sections = PROSE[page] ?? [];
  const section = sections.find(([name]) => `#${name}` === anchor);
  const text = section?.[1] || sections.map(([, prose]) => prose).join(" ");
  const positions = words.map((word) => text.toLowerCase().indexOf(word)).filter((i) => i >= 0);
  const hit = Math.max(Math.min(...positions, text.length) - EXCERPT / 3, 0);
  const start = positions.length && hit > 0 ? text.indexOf(" ", hit) + 1 : 0;
  const end = text.lastIndexOf(" ", start + EXCERPT);
  const cut = start + EXCERPT < text.length ? end : text.length;
  return (start ? "… " : "") + text.slice(start, cut) + (cut < text.length ? " …" : "");
}

// The words marked in the text, as nodes.
function marked(text, words) {
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pieces = escaped.length ? text.split(new RegExp(`(${escaped.join("|")})`, "i")) : [text];
  return pieces.map((piece, i) => {
    if (i % 2 === 0) return piece;
    const mark = document.createElement("mark");
    mark.textContent = piece;
    return mark;
  });
}

function listItem([page, title, anchor, kind], words) {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = `${document.documentElement.dataset.content_root}${page}.html${anchor}`;
  link.innerHTML = title; // as Sphinx wrote it into its index
  const text = kind || excerpt(page, anchor, words);
  item.appendChild(document.createElement("p")).append(...marked(text, words));
  return item;
}

Search.query = (query) => {
  const terms = Search._parseQuery(query);
  const words = [...terms[3]];
  const found = Search._performSearch(...terms).reverse();
  // One result a page: its best. An object of the interface stays beside the page it stands on.
  const best = found.filter((result, i) => result[3] || found.findIndex((r) => !r[3] && r[0] === result[0]) === i);
  Search.stopPulse();
  Search.title.textContent = `Results for “${query}”`;
  Search.status.textContent = best.length
    ? `${best.length} found, the best first.`
    : "Nothing was found: try fewer or other words.";
  Search.output.append(...best.map((result) => listItem(result, words)));
};
