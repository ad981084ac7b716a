/*
 * What all widgets share: controls, panels with axes, a sentence that says what is shown.
 *
 * A widget is a file of its own that calls
 *
 *     widgets.define("name", (sample) => ({ label, controls, legend, panels, draw }));
 *
 * label     what the widget is, for screen readers
 * controls  list of slider(...), button(...), toggles(...), ...seed(); see below
 * state     optional, what the controls change beside their own values
 * legend    list of [classes, text]; classes as in Panel
 * panels    list of names of the panels, for screen readers
 * draw      draw(state, panels) draws and returns the sentence; `state` has the values of the
 *           controls by name, and draw is called whenever one of them changes
 * drag      optional, the name of a slider that the pointer also moves along the first panel
 *
 * book/_ext/widgets.py writes <div class="widget" data-widget="name"> into a page, and a call of
 * widgets.mount right behind it, so that a page is laid out once. Everything is native: inputs and
 * buttons for the keyboard, an aria-live sentence, inline SVG in the colours of widget.css, which
 * follow the theme of the page. Nothing moves by itself. Without scripts a widget is not shown.
 *
 * A classic script, so that it also runs from file://. It defines one name, `widgets`.
 */
"use strict";

const widgets = (() => {
  const definitions = {};

  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  function shape(name, attributes = {}, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  // Controls. Each has initial values for the state and is built as a pair: its element, and a
  // function that shows the state.

  const slider = ({ name, label, min, max, step, value, format = String }) => ({
    initial: { [name]: value },
    build(state, changed) {
      const input = element("input", { type: "range", min, max, step, name });
      const output = element("output");
      input.addEventListener("input", () => {
        state[name] = Number(input.value);
        changed();
      });
      const refresh = () => {
        input.value = state[name];
        output.textContent = format(state[name]);
        input.setAttribute("aria-valuetext", format(state[name]));
      };
      const text = element("span", {}, label);
      return [element("label", {}, text, input, output), refresh];
    },
  });

  const number = ({ name, label, min, max, value }) => ({
    initial: { [name]: value },
    build(state, changed) {
      const input = element("input", { type: "number", min, max, step: 1, name });
      input.addEventListener("change", () => {
        if (input.value !== "" && input.checkValidity()) state[name] = Number(input.value);
        changed();
      });
      const refresh = () => {
        input.value = state[name];
      };
      return [element("label", {}, element("span", {}, label), input), refresh];
    },
  });

  /* A button that is of no use now stays in the order of the keyboard, or focus would be lost. */
  const button = ({ label, act, useful = () => true }) => ({
    initial: {},
    build(state, changed) {
      const node = element("button", { type: "button" }, label);
      node.addEventListener("click", () => {
        if (!useful(state)) return;
        act(state);
        changed();
      });
      return [node, () => node.setAttribute("aria-disabled", !useful(state))];
    },
  });

  /* The seed of a sample, and a button for the next one. */
  const seed = () => [
    number({ name: "seed", label: "Seed", min: 1, max: 9999, value: 1 }),
    button({
      label: "Another sample",
      act: (state) => {
        state.seed = (state.seed % 9999) + 1;
      },
    }),
  ];

  /* A row of buttons for a list of numbers 0 or 1, each of which it flips. */
  const toggles = ({ name, label, values, flipped }) => ({
    initial: { [name]: values },
    build(state, changed) {
      const nodes = values.map((_, i) => {
        const node = element("button", { type: "button" });
        node.addEventListener("click", () => {
          state[name] = state[name].map((value, j) => (i === j ? 1 - value : value));
          flipped(state);
          changed();
        });
        return node;
      });
      const refresh = () =>
        nodes.forEach((node, i) => {
          node.textContent = state[name][i];
          node.setAttribute("aria-label", `${label} ${i + 1}: ${state[name][i]}`);
        });
      const attributes = { class: "toggles", role: "group", "aria-label": `${label}s` };
      return [element("div", attributes, ...nodes), refresh];
    },
  });

  /* A drawing as wide as its column. Classes: a colour (blue, orange, ...) and a kind (line,
     area, dot); what is drawn is in the units of the axes. */
  class Panel {
    constructor(name, summary) {
      this.svg = shape("svg", { role: "img", "aria-label": name, "aria-describedby": summary });
      this.node = element("div", { class: "panel" }, this.svg);
    }

    /* Whether the drawing is as wide and as high as the panel. The widths of two panels beside each
       other may change by a pixel where the width of the widget, in whole pixels, stays. */
    fits() {
      const { width, height } = this.svg.viewBox.baseVal;
      return width === this.node.clientWidth && height === this.node.clientHeight;
    }

    /* Start anew with axes for the ranges x and y, of probabilities on the scale of log-odds if
       `logit`: what lies beyond them is then drawn at their ends. */
    axes({ x, y, xlabel, ylabel, logit = false }) {
      const [width, height] = [this.node.clientWidth, this.node.clientHeight];
      const [left, right, top, bottom] = [logit ? 68 : 56, width - 12, 12, height - 46];
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.svg.replaceChildren();
      const odds = (p) => Math.log(p / (1 - p));
      const scale = ([from, to], start, end) => {
        if (!logit) return (value) => start + ((value - from) / (to - from)) * (end - start);
        const [low, high] = [odds(from), odds(to)];
        const inside = (value) => Math.min(Math.max(odds(value), low), high);
        return (value) => start + ((inside(value) - low) / (high - low)) * (end - start);
      };
      this.x = scale(x, left, right);
      this.y = scale(y, bottom, top);
      this.valueAt = (pixel) => x[0] + ((pixel - left) / (right - left)) * (x[1] - x[0]);
      this.height = (share) => {
        if (!logit) return y[0] + share * (y[1] - y[0]);
        return 1 / (1 + Math.exp(-odds(y[0]) - share * (odds(y[1]) - odds(y[0]))));
      };
      this.ends = { x, y };
      const ticks = logit ? oddsTicks : evenTicks;
      this.#add("path", { class: "axis", d: `M${left},${top}V${bottom}H${right}` });
      for (const tick of ticks(x)) {
        this.#add("path", { class: "axis", d: `M${this.x(tick.value)},${bottom}v5` });
        this.#text(this.x(tick.value), bottom + 18, tick.text, "middle");
      }
      for (const tick of ticks(y)) {
        this.#add("path", { class: "axis", d: `M${left},${this.y(tick.value)}h-5` });
        this.#text(left - 8, this.y(tick.value) + 4, tick.text, "end");
      }
      this.#text((left + right) / 2, height - 8, xlabel, "middle");
      const turned = { transform: `translate(12,${(top + bottom) / 2}) rotate(-90)` };
      this.#text(0, 0, ylabel, "middle", turned);
    }

    /* A polygon through points [x, y]; "line" or, closed, "area". */
    path(classes, points) {
      const place = ([x, y]) => `${this.x(x).toFixed(1)},${this.y(y).toFixed(1)}`;
      const closed = classes.includes("area") ? "Z" : "";
      this.#add("path", { class: classes, d: `M${points.map(place).join("L")}${closed}` });
    }

    curve(classes, f, n = 200) {
      const [from, to] = this.ends.x;
      const at = (i) => from + ((to - from) * i) / n;
      this.path(classes, Array.from({ length: n + 1 }, (_, i) => [at(i), f(at(i))]));
    }

    dot(classes, x, y, size = 4) {
      const [cx, cy] = [this.x(x), this.y(y)];
      if (classes.includes("square")) {
        const box = { x: cx - size, y: cy - size, width: 2 * size, height: 2 * size };
        this.#add("rect", { class: classes, ...box });
      } else this.#add("circle", { class: classes, cx, cy, r: size });
    }

    #add(name, attributes, ...children) {
      this.svg.append(shape(name, attributes, ...children));
    }

    #text(x, y, words, anchor, more = {}) {
      this.#add("text", { x, y, "text-anchor": anchor, ...more }, words);
    }
  }

  /* Powers of ten, a half, and their counterparts below 1; more of them if these are few. */
  function oddsTicks([from, to]) {
    const within = (digits) => {
      const powers = Array.from({ length: 17 }, (_, i) => 17 - i);
      const small = powers.flatMap((power) => digits.map((k) => k / 10 ** power)).filter((p) => p < 0.5);
      const values = [...small, 0.5, ...small.map((p) => 1 - p).reverse()];
      return values.filter((value) => from <= value && value <= to);
    };
    const few = within([1]);
    const values = few.length < 3 ? within([1, 2, 5]) : few;
    const step = Math.ceil(values.length / 6);
    const text = (value) => (value < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(15))));
    return values.filter((_, i) => i % step === 0).map((value) => ({ value, text: text(value) }));
  }

  /* At most six round numbers in a range. */
  function evenTicks([from, to]) {
    const power = 10 ** Math.floor(Math.log10((to - from) / 6));
    const step = power * [1, 2, 5, 10].find((factor) => (to - from) / (factor * power) <= 6);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const first = Math.ceil(from / step - 1e-9);
    const last = Math.floor(to / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const value = (first + i) * step;
      return { value, text: signed(value, decimals) };
    });
  }

  /* A number with so many decimals and a true minus sign. */
  function signed(value, decimals) {
    const text = Math.abs(value).toFixed(decimals);
    return value < 0 && Number(text) !== 0 ? `\u2212${text}` : text;
  }

  function swatch([classes, text]) {
    const mark = { class: classes };
    let inner = shape("path", { ...mark, d: "M1,7H25" });
    if (classes.includes("area")) inner = shape("path", { ...mark, d: "M1,2H25V12H1Z" });
    if (classes.includes("dot")) inner = shape("circle", { ...mark, cx: 13, cy: 7, r: 4 });
    if (classes.includes("square")) {
      inner = shape("rect", { ...mark, x: 9, y: 3, width: 8, height: 8 });
    }
    const picture = shape("svg", { width: 26, height: 14, "aria-hidden": true }, inner);
    return element("li", {}, picture, ` ${text}`);
  }

  /* Let the pointer drag along the x axis of a panel what the slider `input` moves; the slider gets
     the focus, so that arrow keys go on from there. */
  function dragging(panel, input) {
    const follow = (event) => {
      input.value = panel.valueAt(event.clientX - panel.svg.getBoundingClientRect().left);
      input.dispatchEvent(new Event("input"));
      input.focus({ preventScroll: true });
    };
    panel.svg.classList.add("draggable");
    panel.svg.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      panel.svg.setPointerCapture(event.pointerId);
      follow(event);
    });
    panel.svg.addEventListener("pointermove", (event) => {
      if (panel.svg.hasPointerCapture(event.pointerId)) follow(event);
    });
  }

  /* Build the widget of an element that book/_ext/widgets.py wrote. */
  function mount(root) {
    const make = definitions[root.dataset.widget];
    const widget = make(root.dataset.sample && JSON.parse(root.dataset.sample));
    const initial = widget.controls.map((control) => control.initial);
    const state = Object.assign({}, widget.state, ...initial);
    const id = `${root.id}-summary`;
    const panels = widget.panels.map((name) => new Panel(name, id));
    const summary = element("p", { id, class: "summary", "aria-live": "polite" });
    const changed = () => {
      for (const refresh of refreshers) refresh();
      summary.textContent = widget.draw(state, panels);
    };
    const controls = widget.controls.map((control) => control.build(state, changed));
    const refreshers = controls.map(([, refresh]) => refresh);
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", widget.label);
    root.append(
      element("div", { class: "controls" }, ...controls.map(([node]) => node)),
      element("ul", { class: "legend" }, ...widget.legend.map(swatch)),
      element("div", { class: "panels" }, ...panels.map((panel) => panel.node)),
      summary,
    );
    root.dataset.ready = "";
    if (widget.drag) dragging(panels[0], root.querySelector(`[name=${widget.drag}]`));
    changed();
    const observer = new ResizeObserver(() => {
      if (panels.some((panel) => !panel.fits())) changed();
    });
    for (const panel of panels) observer.observe(panel.node);
  }

  function define(name, make) {
    definitions[name] = make;
  }

  return { define, mount, slider, button, seed, toggles, signed, element, swatch, Panel };
})();
