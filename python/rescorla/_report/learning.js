// A design, learned in the page by the rule of Rescorla and Wagner, in the order of operations that the library has:
// an activation starts at 0 and sums the weights of the event's cues in order; then u = beta1 * (lambda - a) where the
// outcome is present, beta2 * (0 - a) where it is absent; then w += alpha * u for each of the cues.

/** The weights to one outcome after the tokens `at`: for each cue a curve; and the activations that probes find. */
function learn({ cueEnds, cues, outcomeEnds, outcomes, frequencies, nCues }, outcome, { alpha, beta1, beta2, lambda }, at) {
  const weights = new Float64Array(nCues);
  const curves = Array.from({ length: nCues }, () => new Float64Array(at.length));
  const probes = [];
  let token = 0, recorded = 0;
  const record = () => {
    if (at[recorded] === token) {
      for (let cue = 0; cue < nCues; cue++) curves[cue][recorded] = weights[cue];
      recorded++;
    }
  };
  const activation = (from, to) => {
    let sum = 0;
    for (let slot = from; slot < to; slot++) sum += weights[cues[slot]];
    return sum;
  };
  record();
  for (let row = 0, from = 0, first = 0; row < frequencies.length; row++) {
    const to = cueEnds[row], last = outcomeEnds[row];
    const present = outcomes.subarray(first, last).includes(outcome);
    if (frequencies[row] === 0) probes.push({ row, token, value: activation(from, to) });
    for (let time = 0; time < frequencies[row]; time++) {
      const a = activation(from, to);
      const u = present ? beta1 * (lambda - a) : beta2 * (0 - a);
      for (let slot = from; slot < to; slot++) weights[cues[slot]] += alpha[cues[slot]] * u;
      token++;
      record();
    }
    from = to;
    first = last;
  }
  return { curves, probes };
}

function learningPage({ groups, cues, outcomes, parameters }) {
  const rule = { alpha: Float64Array.from(parameters.alpha), beta1: parameters.beta1, beta2: parameters.beta2, lambda: Float64Array.from(parameters.lambda) };
  let outcome = 0;

  // Lines: each cue, then each set of several cues that comes together or is probed.

  const lines = cues.map((name, cue) => ({ name, title: visible(name), key: String(cue), cues: [cue], compound: false }));
  const known = new Map(lines.map((line) => [line.key, line]));
  const probed = new Set();
  const view = groups.map((group) => {
    const n = group.frequencies.length;
    const keys = Array.from({ length: n }, (_, row) => {
      const set = [...group.cues.subarray(row === 0 ? 0 : group.cueEnds[row - 1], group.cueEnds[row])];
      const key = set.join(" ");
      if (!known.has(key) && set.length) {
        const names = set.map((cue) => cues[cue]);
        const line = { name: names.join(" + "), title: names.map(visible).join(" + "), key, cues: set, compound: true };
        known.set(key, line);
        lines.push(line);
      }
      if (group.frequencies[row] === 0) probed.add(known.get(key));
      return key;
    });
    const there = new Set(group.cues);
    const made = { name: group.name, at: group.at, phases: group.phases, found: null, cache: new Map() };
    made.learn = () => {
      made.found = learn({ ...group, nCues: cues.length }, outcome, { ...rule, lambda: rule.lambda[outcome] }, group.at);
      made.cache.clear();
    };
    made.of = (line) => {
      if (!line.cues.every((cue) => there.has(cue))) return null;
      if (!line.compound) return made.found.curves[line.cues[0]];
      if (!made.cache.has(line)) {
        made.cache.set(line, Float64Array.from(group.at, (_, place) => {
          let sum = 0;
          for (const cue of line.cues) sum += made.found.curves[cue][place];
          return sum;
        }));
      }
      return made.cache.get(line);
    };
    made.points = (line) => made.found.probes.filter(({ row }) => keys[row] === line.key);
    return made;
  });
  probed.delete(undefined);

  for (const group of view) group.learn();
  const compounds = () => drawnView !== null && drawnView.chosen().some((line) => line.compound);
  let drawnView = null;
  const atFirst = lines.filter((line) => !line.compound || probed.has(line));
  drawnView = curvesView({
    lines, groups: view, first: atFirst, label: () => (compounds() ? "activation" : "weight"), ceiling: () => Math.max(rule.lambda[outcome], 0),
  });
  drawnView.refresh();

  // Sliders.

  let waiting = false;

  function again() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      for (const group of view) group.learn();
      drawnView.refresh();
      const finite = view.every((group) => group.found.curves.every((curve) => curve.every(Number.isFinite)));
      byId("help").textContent = finite ? help : "The weights grow beyond all bounds: take a smaller alpha or beta.";
      byId("help").classList.toggle("wrong", !finite);
      const [one] = drawnView.seen();
      if (one) {
        say(`Learned again. ${finite ? "" : "The weights grow beyond all bounds. "}At the end: ${drawnView.chosen().slice(0, 6).map((line) => {
          const curve = one.of(line);
          return curve && `${line.name} ${shown(curve[curve.length - 1])}`;
        }).filter(Boolean).join(", ")}`);
      }
    });
  }

  const help = byId("help").textContent;
  const resets = [];

  function slider(id, name, note, { low, high }, get, set) {
    const range = element("input", { type: "range", id, min: low, max: Math.max(high, get() || 0), step: "0.01" });
    const number = element("input", { type: "number", step: "any", min: low < 0 ? null : 0, "aria-label": `${name}, as a number` });
    const show = () => {
      const value = get();
      range.value = value === null ? (low + high) / 2 : value;
      range.setAttribute("aria-valuetext", value === null ? "several values" : String(value));
      number.value = value === null ? "" : value;
      number.placeholder = value === null ? "several" : "";
      number.removeAttribute("aria-invalid");
    };
    const take = (value) => {
      set(value);
      range.setAttribute("aria-valuetext", String(value));
      again();
    };
    range.addEventListener("input", () => { number.value = range.value; take(Number(range.value)); });
    number.addEventListener("input", () => {
      const value = number.valueAsNumber, right = Number.isFinite(value) && (low < 0 || value >= 0);
      number.setAttribute("aria-invalid", String(!right));
      if (!right) { say(`${name} must be a number${low < 0 ? "" : " of 0 or more"}`); return; }
      range.value = value;
      take(value);
    });
    show();
    resets.push(show);
    return element("div", { class: "slider" }, element("label", { for: id }, element("span", { class: "of" }, name), " ", element("span", { class: "quiet" }, note)), element("div", {}, range, number));
  }

  const unit = { low: 0, high: 1 };
  const lambdas = { low: Math.min(-1, ...rule.lambda), high: 2 };
  const same = (values) => values.every((value) => value === values[0]);
  const common = (values) => (same(values) ? values[0] : null);
  byId("rule").hidden = false;
  byId("sliders").append(
    slider("alpha", "alpha", "of every cue", unit, () => common(rule.alpha), (value) => { rule.alpha.fill(value); showOwn(); }),
    slider("beta1", "beta1", "outcome present", unit, () => rule.beta1, (value) => { rule.beta1 = value; }),
    slider("beta2", "beta2", "outcome absent", unit, () => rule.beta2, (value) => { rule.beta2 = value; }),
    slider("lambda", "lambda", "of every outcome", lambdas, () => common(rule.lambda), (value) => { rule.lambda.fill(value); showOwn(); }),
  );
  const general = resets.splice(0);
  const own = cues.slice(0, 40).map((name, cue) => slider(
    `alpha-${cue}`, "alpha", `of ${visible(name)}`, unit, () => rule.alpha[cue], (value) => { rule.alpha[cue] = value; general[0](); },
  ));
  if (outcomes.length > 1) {
    own.push(...outcomes.slice(0, 40).map((name, place) => slider(
      `lambda-${place}`, "lambda", `of ${visible(name)}`, lambdas, () => rule.lambda[place], (value) => { rule.lambda[place] = value; general[3](); },
    )));
  }
  byId("own").append(...own);
  byId("each").hidden = own.length < 2;
  byId("each").open = !same(rule.alpha) || !same(rule.lambda);
  const specific = resets.splice(0);

  function showOwn() {
    for (const show of specific) show();
  }

  byId("reset").addEventListener("click", () => {
    rule.alpha.set(parameters.alpha);
    rule.lambda.set(parameters.lambda);
    Object.assign(rule, { beta1: parameters.beta1, beta2: parameters.beta2 });
    for (const show of [...general, ...specific]) show();
    again();
  });

  if (outcomes.length > 1) {
    byId("outcome-choice").hidden = false;
    byId("outcome").append(...outcomes.map((name, place) => element("option", { value: place }, visible(name))));
    byId("outcome").addEventListener("change", () => {
      outcome = Number(byId("outcome").value);
      again();
    });
  }
}

start(learningPage);
