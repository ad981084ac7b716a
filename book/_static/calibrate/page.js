/*
 * The page itself: it hands files to the worker (answer.js) and shows what comes back. No number is
 * computed here, nothing is sent anywhere.
 */
"use strict";

const calibratePage = () => {
  const root = document.getElementById("calibrate");
  const { element, Panel } = widgets;
  const find = (name) => root.querySelector(`[name="${name}"]`);
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const MAPS = [
    "Temperature", "Platt on logits", "Beta", "Spline", "Centred isotonic", "Venn-Abers",
  ];
  const DEFAULT = "Stacked";
  const FEWEST_OF_A_CLASS = 5; // rows, for the folds of a comparison
  const MEASURES = {
    mean_prediction: "Mean prediction", observed_rate: "Observed rate",
    bias: "Bias (observed less predicted)", observed_over_expected: "Observed / expected",
    log_loss: "Log loss", brier: "Brier score",
    miscalibration: "Miscalibration (MCB)", discrimination: "Discrimination (DSC)",
    uncertainty: "Uncertainty (UNC)", brier_skill: "Brier skill score", auc: "AUC",
    kuiper_error: "Kuiper error", ece: "ECE, ten bins",
    slope: "Calibration slope", intercept: "Calibration intercept",
    in_the_large: "Calibration in the large",
  };

  const CHANCE =
    "Measures. Perfect: the mean value of calibrated predictions in samples of this size. Chance: " +
    "a value that 95 of 100 such samples stay below.";

  // The worker: one question at a time, in order.

  const address = URL.createObjectURL(new Blob([workerSource()], { type: "text/javascript" }));
  const worker = new Worker(address);
  const waiting = new Map();
  let asked = 0;
  worker.onmessage = ({ data: { id, answer, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  };
  function ask(task, request) {
    const id = (asked += 1);
    worker.postMessage({ id, task, request });
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  // What was chosen

  let file = null; // {name, bytes}
  let shown = null; // the last report
  const form = () => ({
    separator: find("separator").value === "tab" ? "\t" : find("separator").value,
    decimal: find("decimal").value,
    encoding: find("encoding").value,
    header: !find("no-header").checked,
    dropMissing: find("drop-missing").checked,
    score: find("score").value,
    label: find("label").value,
    positive: find("positive").value,
  });

  const say = (text) => {
    part("status").textContent = text;
  };
  const { inFields } = fieldsModule();
  const complain = (text) => {
    part("error").textContent = inFields(text);
    part("offers").replaceChildren();
  };

  /* Runs a step of the page. A fault is told, and nothing of an older answer stays. */
  async function step(text, work) {
    complain("");
    say(text);
    root.setAttribute("aria-busy", "true");
    try {
      await work();
    } catch (error) {
      say("");
      complain(error.message);
      await offerRemedies(error.message);
    }
    root.removeAttribute("aria-busy");
  }

  async function take(name, bytes) {
    file = { name, bytes };
    part("results").hidden = true;
    await showColumns();
  }

  // What a message asks for, as buttons

  const button = (text, press) => {
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", press);
    return made;
  };

  const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" };

  /* Words of a reading of the file. */
  function inWords({ separator, decimal, encoding, header, example }) {
    const now = form();
    const parts = [`${SEPARATORS[separator]} between cells`];
    parts.push(decimal === "," ? "decimal commas" : "decimal points");
    if (encoding !== now.encoding) parts.push(`encoding ${encoding}`);
    if (header !== now.header) parts.push("the first line is a row");
    return `Read it with ${parts.join(", ")}: ${example}`;
  }

  function readAs({ separator, decimal, encoding, header }) {
    find("separator").value = separator === "\t" ? "tab" : separator;
    find("decimal").value = decimal;
    find("encoding").value = encoding;
    find("no-header").checked = !header;
    return showColumns();
  }

  function leaveOut() {
    find("drop-missing").checked = true;
    return judgeFile();
  }

  async function offerRemedies(message) {
    const offers = [];
    if (/--(separator|decimal|encoding|no-header)/.test(message)) {
      const found = await ask("readings", { ...file, form: form() });
      offers.push(...found.map((read) => button(inWords(read), () => readAs(read))));
    }
    if (message.includes("--drop-missing")) {
      offers.push(button("Leave out rows with missing cells", leaveOut));
    }
    part("offers").replaceChildren(...offers);
    if (message.includes("--positive")) (part("classes").querySelector("button") ?? find("positive")).focus();
  }

  let valuesOf = new Map(); // by name in the choice of labels: the two values of a column

  /* Buttons for the two values of the labels, unless these are 0 and 1. */
  function showClasses() {
    const { two, binary } = valuesOf.get(find("label").value) ?? {};
    const offered = two && !binary ? two : [];
    const field = find("positive");
    if (offered.length && !offered.includes(field.value)) field.value = "";
    const choose = (value) => () => {
      field.value = value;
      showPressed();
    };
    part("classes").replaceChildren(
      ...(offered.length ? [element("span", {}, "Which value is class 1?")] : []),
      ...offered.map((value) => button(value, choose(value))));
    showPressed();
  }

  function showPressed() {
    for (const made of part("classes").querySelectorAll("button")) {
      made.setAttribute("aria-pressed", String(made.textContent === find("positive").value));
    }
  }

  /* Offer the columns that the file has. The reader chooses. */
  const showColumns = () => step("Reading the first line ...", async () => {
    part("columns").hidden = true;
    const { names, title } = await ask("columns", { ...file, form: form() });
    const values = await ask("values", { ...file, form: form() });
    const ofTwo = values.flatMap(({ two }, i) => (two ? [i] : []));
    const labelAt = ofTwo.length === 1 ? ofTwo[0] : Math.min(1, names.length - 1);
    for (const [role, at] of [["score", labelAt === 0 && names.length > 1 ? 1 : 0], ["label", labelAt]]) {
      const select = find(role);
      const before = select.value;
      const own = names.indexOf(role);
      select.replaceChildren(...names.map((name, i) => {
        const isUnique = names.indexOf(name) === names.lastIndexOf(name);
        const text = name === title[i] ? name : `${name}: ${title[i]}`;
        return new Option(text || `(column ${i + 1})`, isUnique && name ? name : String(i + 1));
      }));
      if ([...select.options].some(({ value }) => value === before)) select.value = before;
      else select.selectedIndex = own < 0 ? at : own;
    }
    valuesOf = new Map([...find("label").options].map(({ value }, i) => [value, values[i]]));
    showClasses();
    if (names.length === 1) throw new Error(`${file.name} has one column only: pass --separator`);
    part("columns").hidden = false;
    say(`${file.name}: ${names.length} columns. Choose the scores and the labels.`);
  });

  // What is shown

  const { decimalsBetween, decimalsOfColumn } = specialModule();
  const LEAST_DIGITS = 4; // decimals of a number whose limits ask for no more
  const LOSS_KEYS = ["log_loss", "brier"]; // measures that show three digits of their error
  const number = (value, digits = LEAST_DIGITS) => {
    if (value === null || value === undefined) return "\u2013";
    if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
    return widgets.signed(value, digits);
  };
  const sentences = (list) => list.map((text) => element("p", {}, text));
  const items = (list) => element("ul", {}, ...list.map((text) => element("li", {}, text)));
  const heading = (text) => element("h2", {}, text);

  function table(caption, columns, rows) {
    const head = columns.map((name) => element("th", { scope: "col" }, name));
    const body = rows.map(({ cells: [first, ...others], chosen }) =>
      element("tr", chosen ? { class: "chosen" } : {}, element("th", { scope: "row" }, first),
        ...others.map((cell) => element("td", {}, cell))));
    return element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  }

  const judgeFile = () => step("Judging the scores ...", async () => {
    part("results").hidden = true;
    part("compared").replaceChildren();
    part("mapped").replaceChildren();
    const fitCommand = command("fit", "-o map.json");
    shown = await ask("report", { ...file, form: form(), command: fitCommand });
    showReport();
    part("results").hidden = false;
    say("Judged.");
    if (shown.withheld) {
      part("advice").replaceChildren(heading("What to do next"), ...sentences(shown.withheld));
      return;
    }
    showAdvice(shown.advice);
    const { probabilities, rarer } = shown.data;
    if (probabilities && rarer >= FEWEST_OF_A_CLASS) await compareMaps();
    else showMaps();
  });

  const NO_PROBABILITIES =
    "These scores take the default alone: the other maps of this page are for scores in [0, 1].";

  function showAdvice([first, ...others]) {
    part("advice").replaceChildren(
      heading("What to do next"), ...sentences(shown.questions),
      element("p", { class: "sentence" }, first), items(others));
  }

  function showReport() {
    const { verdict, notes, cautions, estimates } = shown;
    part("verdict").replaceChildren(
      heading("The verdict"),
      element("p", { class: "sentence" }, verdict.sentence),
      ...sentences(verdict.details),
      ...(cautions.length ? [heading("What to know about these rows")] : []),
      items([...notes, ...cautions.map(({ text }) => text)].map(inFields)),
    );
    part("diagram").hidden = !shown.curve;
    drawDiagram();
    const rows = Object.entries(MEASURES).filter(([key]) => estimates[key]).map(([key, name]) => {
      const { value, lower, upper, floor, byChance, note } = estimates[key];
      const significant = LOSS_KEYS.includes(key) ? 3 : 2;
      const digits = Math.max(LEAST_DIGITS, decimalsBetween(lower, upper, significant));
      const limits =
        Number.isFinite(lower) ? `${number(lower, digits)} to ${number(upper, digits)}` : note ?? "";
      const ofChance = [floor, byChance].map((error) => (error === undefined ? "" : number(error, digits)));
      return { cells: [name, number(value, digits), limits, ...ofChance] };
    });
    part("measures").replaceChildren(
      table(CHANCE, ["Measure", "Value", "95 % limits", "Perfect", "Chance"], rows));
    part("command").textContent = command("report", "-o report.html");
  }

  const quoted = (text) => (/^[\w.,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  function command(name, more) {
    const { separator, decimal, encoding, header, dropMissing, score, label, positive } = form();
    const flags = [
      `--score ${quoted(score)}`, `--label ${quoted(label)}`,
      positive && `--positive ${quoted(positive)}`,
      separator !== "," && `--separator ${separator === "\t" ? "tab" : quoted(separator)}`,
      decimal !== "." && `--decimal ${decimal}`,
      encoding !== "utf-8" && `--encoding ${encoding}`,
      !header && "--no-header", dropMissing && "--drop-missing", more,
    ];
    return ["calib", name, quoted(file.name), ...flags.filter(Boolean)].join(" ");
  }

  const panels = [];
  function panelIn(name, label) {
    const panel = new Panel(label, "calibrate-status");
    part(name).replaceChildren(panel.node);
    return panel;
  }

  function drawDiagram() {
    if (!shown?.curve) return;
    const { predicted, recalibrated, bandAt, lower, upper, histogram, edges, logit } = shown.curve;
    panels[0] ??= panelIn("reliability", "Fraction of positives against the prediction, with a band");
    const [panel] = panels;
    const ends = [edges[0], edges.at(-1)];
    panel.axes({ x: ends, y: ends, logit, xlabel: "Prediction", ylabel: "Fraction of positives" });
    const most = Math.max(...histogram);
    histogram.forEach((count, i) => {
      const [left, right, top] = [edges[i], edges[i + 1], panel.height((0.2 * count) / most)];
      const foot = ends[0];
      if (count) panel.path("grey area", [[left, foot], [left, top], [right, top], [right, foot]]);
    });
    const line = (values) => bandAt.map((at, i) => [at, values[i]]);
    panel.path("blue area", [...line(upper), ...line(lower).reverse()]);
    panel.path("black line dashed", ends.map((end) => [end, end]));
    panel.path("blue line thick", predicted.map((at, i) => [at, recalibrated[i]]));
  }

  const compareMaps = () => step("Comparing maps by cross-validation ...", async () => {
    const found = await ask("compare", { names: [DEFAULT, ...MAPS] });
    const gains = found.results.flatMap(({ logGain }) => logGain ?? []);
    const columnDigits = decimalsOfColumn(gains.map(({ lower, upper }) => [lower, upper]), 2);
    const digits = Math.max(LEAST_DIGITS, columnDigits);
    const written = (value) => number(value, digits);
    const rows = found.results.map(({ name, log, brier, logGain }) => ({
      chosen: name === found.chosen,
      cells: [
        name === "Raw" ? "Scores as they are" : name, written(log), written(brier),
        logGain ? written(logGain.value) : "",
        logGain ? `${written(logGain.lower)} to ${written(logGain.upper)}` : "",
      ],
    }));
    const columns = ["Map", "Log loss", "Brier", "Gain", "Interval"];
    showAdvice([found.recommendation, ...shown.advice.slice(1)]);
    part("compared").replaceChildren(
      heading("The comparison"),
      element("div", { class: "pst-scrollable-table-container" },
        table(`Five folds, ${found.nRepeats} times; gain in log loss over the scores`, columns, rows)),
      ...sentences(found.notes),
    );
    showMaps();
    say("Compared.");
  });

  /* Choose a map, see it, take it away. */
  function showMaps() {
    const select = element("select", { name: "map" });
    const others = shown.data.probabilities ? MAPS : [];
    select.append(...[DEFAULT, ...others].map((name) => new Option(name, name)));
    const label = element("label", {}, element("span", {}, "Map"), select);
    const kinds = [
      ["csv", "Probabilities (CSV)", "calibrated.csv"], ["json", "Map (JSON)", "map.json"],
      ["sql", "SQL", "map.sql"], ["js", "JavaScript", "map.js"],
    ];
    const buttons = kinds.map(([kind, text, name]) => {
      const button = element("button", { type: "button", "data-kind": kind }, `Save: ${text}`);
      button.addEventListener("click", () => fitted(select.value, ({ files }) => save(name, files[kind])));
      return button;
    });
    const picture = element("div", { "data-part": "picture" });
    select.addEventListener("change", () => fitted(select.value, drawMap));
    part("mapped").replaceChildren(
      heading("The map, learned from all rows"),
      ...sentences(others.length ? [] : [NO_PROBABILITIES]),
      element("div", { class: "fields" }, label, ...buttons),
      element("div", { "data-part": "map-notes" }), picture);
    panels.length = 1;
    fitted(select.value, drawMap);
  }

  const fitted = (method, use) => step(`Fitting: ${method} ...`, async () => {
    const found = await ask("fit", { method, version: CALIB_VERSION });
    const notes = found.notes.map((note) => `${note[0].toUpperCase()}${note.slice(1)}.`);
    part("map-notes").replaceChildren(...sentences(notes));
    use(found);
    say(`Fitted: ${method}.`);
  });

  let drawn = null; // the map that is drawn
  function drawMap(found) {
    drawn = found ?? drawn;
    if (!drawn || !part("picture")) return;
    const { line, diagonal } = drawn;
    panels[1] ??= panelIn("picture", "Calibrated probability against the score");
    const x = [line[0][0], line.at(-1)[0]];
    panels[1].axes({ x, y: [0, 1], xlabel: "Score", ylabel: "Calibrated probability" });
    if (diagonal) panels[1].path("black line dashed", [[0, 0], [1, 1]]);
    panels[1].path("orange line thick", line);
  }

  function save(name, text) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    element("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }

  // What the reader does

  async function takeFile(chosen) {
    if (chosen) await take(chosen.name, new Uint8Array(await chosen.arrayBuffer()));
  }

  function takeExample() {
    const script = element("script", { src: root.dataset.example });
    script.addEventListener("load", async () => {
      await take(EXAMPLE.name, new TextEncoder().encode(EXAMPLE.text));
      for (const role of ["score", "label"]) find(role).value = EXAMPLE[role];
      showClasses();
      find("positive").value = EXAMPLE.positive;
      showPressed();
      await judgeFile();
    });
    if (typeof EXAMPLE === "undefined") document.head.append(script);
    else script.dispatchEvent(new Event("load"));
  }

  find("file").addEventListener("change", (event) => takeFile(event.target.files[0]));
  find("example").addEventListener("click", takeExample);
  find("use-text").addEventListener("click", () =>
    take("pasted text", new TextEncoder().encode(find("text").value)));
  find("label").addEventListener("change", showClasses);
  find("positive").addEventListener("input", showPressed);
  for (const name of ["separator", "encoding", "no-header"]) {
    find(name).addEventListener("change", () => file && showColumns());
  }
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    if (file) judgeFile();
    else complain("Choose a file first, paste text, or take the example.");
  });
  const drop = root.querySelector(".drop");
  for (const [kind, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", over);
      if (kind === "drop") takeFile(event.dataTransfer.files[0]);
    });
  }
  new ResizeObserver(() => {
    drawDiagram();
    drawMap();
  }).observe(root);
  root.dataset.ready = "";
};

document.addEventListener("DOMContentLoaded", calibratePage);
