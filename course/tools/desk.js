// Saves what is given to an answer as it is given, and says whether it is on the disk.
const articles = [...document.querySelectorAll("article")];
const own = (element, selector) => element.querySelector(selector);

async function post(body) {
  try {
    const reply = await fetch(location.pathname, { method: "POST", body: JSON.stringify(body) });
    return [reply.ok, await reply.text()];
  } catch {
    return [false, "the desk does not answer; is it still running?"];
  }
}

function given(article) {
  return {
    student: article.dataset.student,
    points: own(article, ":checked")?.value ?? "",
    comment: own(article, "textarea").value,
  };
}

function count() {
  const left = articles.filter((a) => !a.classList.contains("marked")).length;
  document.querySelector("#left").textContent = left;
}

async function send(article) {
  const sent = given(article);
  const [saved, said] = await post(sent);
  const latest = JSON.stringify(given(article)) === JSON.stringify(sent);
  if (!latest) return;
  article.classList.toggle("unsaved", !saved);
  if (saved) article.classList.toggle("marked", sent.points !== "" || article.dataset.test !== "");
  own(article, ".status").textContent = saved ? said : `NOT SAVED: ${said}`;
  count();
}

function save(article) {
  article.classList.add("unsaved"); // until the desk has said that it is saved
  own(article, ".status").textContent = "Saving";
  clearTimeout(article.timer);
  article.last = (article.last ?? Promise.resolve()).then(() => send(article));
}

function go(article, step) {
  const here = articles.indexOf(article);
  const others = articles.slice(here + 1).concat(articles.slice(0, here));
  const next = step < 0 ? articles[Math.max(here - 1, 0)]
    : others.find((a) => !a.classList.contains("marked"));
  const place = next ?? document.querySelector("#end");
  place.focus();
  place.scrollIntoView({ block: "start" });
}

function choose(article, points) {
  const button = [...article.querySelectorAll("input")].find((i) => Number(i.value) === points && i.value);
  if (!button) return;
  button.checked = true;
  save(article);
}

function press(event, article) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const typing = event.target.tagName === "TEXTAREA";
  if (typing && event.key === "Escape") article.focus();
  if (typing) return;
  const now = Number(own(article, ":checked")?.value ?? 0);
  const actions = {
    n: () => go(article, 1),
    p: () => go(article, -1),
    c: () => own(article, "textarea").focus(),
    h: () => choose(article, now + 0.5),
  };
  if (/^\d$/.test(event.key)) actions[event.key] = () => choose(article, Number(event.key));
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

for (const article of articles) {
  article.addEventListener("keydown", (event) => press(event, article));
  article.addEventListener("change", () => save(article));
  own(article, "textarea").addEventListener("input", () => {
    article.classList.add("unsaved");
    clearTimeout(article.timer);
    article.timer = setTimeout(() => save(article), 1000);
  });
  own(article, "button").addEventListener("click", () => go(article, 1));
}
if (articles.length) count();

addEventListener("beforeunload", (event) => {
  if (document.querySelector(".unsaved")) event.preventDefault();
});
setInterval(() => { // what could not be saved is tried again
  for (const article of articles) {
    if (own(article, ".status").textContent.startsWith("NOT SAVED")) save(article);
  }
}, 5000);

document.querySelector("#merge")?.addEventListener("click", async () => {
  const status = document.querySelector("#merged");
  status.textContent = "Writing";
  status.textContent = (await post({}))[1];
});
