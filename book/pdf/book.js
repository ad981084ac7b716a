const NUMBER_GAP = 6; // pixels between a formula and its number
const CAPTION = 170; // pixels that a caption beside a figure needs at least

// Smaller type for what is wider than its column, down to the smallest that can be read.
function shrink(element, width, smallest) {
  const column = element.parentElement.getBoundingClientRect().width;
  for (let size = 1; width(element) > column + 1 && size >= smallest; size -= 0.04)
    element.style.fontSize = `${size * 100}%`;
}

// A few words in a cell stay on one line, and sentences get some width. A table that is still too
// wide breaks lines anywhere.
function fitTable(table) {
  for (const cell of table.querySelectorAll("td")) {
    const length = cell.textContent.trim().length;
    if (length < 16) cell.classList.add("short");
    if (length > 50) cell.classList.add("long");
  }
  shrink(table, e => e.offsetWidth, 0.8);
  if (table.offsetWidth <= table.parentElement.offsetWidth + 1) return;
  table.classList.add("wrapped");
  shrink(table, e => e.offsetWidth, 0.7);
}

// The number of a formula stands at its right.
function widthOfFormula(formula) {
  const number = formula.parentElement.querySelector(".eqno");
  const side = number ? number.offsetWidth + NUMBER_GAP : 0;
  return formula.querySelector("svg").getBoundingClientRect().width + side;
}

// The caption of a narrow figure stands beside it, where there is room for a few words a line.
function placeCaption(figure) {
  const width = figure.querySelector("img")?.getBoundingClientRect().width;
  if (width && figure.clientWidth - width > CAPTION) figure.classList.add("beside");
}

// Short blocks stay on one page; long ones would leave half a page empty.
function keepTogether(element, longest) {
  if (element.getBoundingClientRect().height < longest) element.style.breakInside = "avoid";
}

// A formula is a picture with the text that the site has for screen readers.
function nameFormulas() {
  for (const formula of document.querySelectorAll(".math mjx-container")) {
    formula.setAttribute("role", "img");
    formula.setAttribute("aria-label", formula.querySelector("mjx-assistive-mml").textContent);
  }
}

// Whatever sticks out of the text to the right, a formula by the box that it is drawn in.
function findTooWide() {
  const edge = document.querySelector("article").getBoundingClientRect().right + 1;
  const boxes = [...document.querySelectorAll("article :is(p, pre, table, img, li, dt, svg)")];
  return boxes.filter(e => e.getBoundingClientRect().right > edge)
    .map(e => `${e.closest("[id]").id}: ${e.closest(".math, table, p")?.textContent.slice(0, 80)}`);
}

async function layOut() {
  await document.fonts.ready;
  nameFormulas();
  document.querySelectorAll("table").forEach(fitTable);
  document.querySelectorAll("div.math mjx-container").forEach(e => shrink(e, widthOfFormula, 0.6));
  document.querySelectorAll("figure:has(> figcaption)").forEach(placeCaption);
  document.querySelectorAll("pre, .proof, .exercise, li").forEach(e => keepTogether(e, 200));
  document.querySelectorAll("table").forEach(e => keepTogether(e, 320));
  return findTooWide();
}

function fillContents(pages) {
  for (const link of document.querySelectorAll(".contents a.page"))
    link.textContent = pages[decodeURIComponent(link.hash.slice(1))];
}
