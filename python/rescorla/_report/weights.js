// Weights: search, lists, nearest names, a network, a histogram.

const OTHER = { cue: "outcome", outcome: "cue" };
const FEW = 10;
const LONGEST = 60;

function weightsPage(data) {
  const sides = { cue: sideOf(data.cues, data.rows), outcome: sideOf(data.outcomes, data.columns) };

  // What is stored of a name: the other side's numbers and the weights, from the most positive down.
  function sideOf(names, lists) {
    const folded = names.map((name) => name.toLowerCase());
    return { names, folded, ...lists };
  }

  const stored = (kind, place) => listed(sides[kind], place);

  function listed({ ends, ids, values }, place) {
    const found = [];
    for (let at = place === 0 ? 0 : ends[place - 1]; at < ends[place]; at++) found.push({ place: ids[at], value: values[at] });
    return found;
  }

  const bySize = (found) => found.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));

  /** The weight between two names, if it is stored with either. */
  function weightOf(cue, outcome) {
    const there = stored("cue", cue).find((each) => each.place === outcome) || stored("outcome", outcome).find((each) => each.place === cue);
    return there === undefined ? null : there.value;
  }

  const link = (kind, place) => element("a", { href: `#${kind}-${place}`, title: long(sides[kind].names[place]) }, short(sides[kind].names[place], LONGEST));
  const long = (name) => (name.length > LONGEST ? name.slice(0, 2000) : null);

  function bar(value, most) {
    const made = element("i", { class: value < 0 ? "negative" : null });
    made.style.width = `${(100 * Math.min(Math.abs(value) / most, 1)).toFixed(1)}%`;
    return element("td", { class: "bar", "aria-hidden": "true" }, made);
  }

  /** A table of names of which the first few are shown, and a button for the others. */
  function list(title, note, heads, items, row) {
    const panel = element("section", { class: "panel" }, element("h3", {}, title), element("p", { class: "quiet" }, note));
    if (!items.length) return panel;
    const made = table(heads, items.map(row), { numbers: 1 });
    panel.append(made);
    const more = [...made.tBodies[0].rows].slice(FEW);
    if (more.length > 2) {
      const button = element("button", { type: "button", class: "more" }, `Show all ${counted(items.length)}`);
      more.forEach((each) => { each.hidden = true; });
      button.addEventListener("click", () => {
        more.forEach((each) => { each.hidden = false; });
        more[0].querySelector("a").focus();
        button.remove();
      });
      panel.append(button);
    }
    return panel;
  }

  // What is chosen.

  function show(kind, place, focus) {
    const side = sides[kind], other = OTHER[kind];
    const name = side.names[place];
    byId("chosen").hidden = false;
    byId("chosen-name").replaceChildren(
      element("span", { class: "kind" }, kind === "cue" ? "Cue " : "Outcome "), element("span", { class: "chosen-text" }, short(name, 500)),
    );
    const all = stored(kind, place);
    const positive = all.filter((each) => each.value > 0);
    const negative = all.filter((each) => each.value < 0).reverse();
    const most = Math.max(...all.map((each) => Math.abs(each.value)), 1e-300);
    const [many, few] = [side.positive[place], side.negative[place]];
    byId("chosen-note").textContent = many + few === 0
      ? "All weights here are zero."
      : `${counted(many)} positive and ${counted(few)} negative weights.`;
    const row = (each) => [nameCell(link(other, each.place)), bar(each.value, most), numeric(each.value)];
    const told = (part, whole) => (part.length < whole ? `The ${counted(part.length)} strongest of ${counted(whole)}` : `All ${counted(whole)}`);
    const heads = [`${other}`, "", "weight"];
    const lists = [
      list(`Positive: strongest ${other}s`, positive.length ? told(positive, many) : "None", heads, positive, row),
      list(`Negative: strongest ${other}s`, negative.length ? told(negative, few) : "None", heads, negative, row),
    ];
    const lines = kind === "cue" ? "rows" : "columns";
    // They are left out where there are too many names to compare.
    if (data.nearest[lines] !== undefined) {
      const near = listed(data.nearest[lines], place);
      const line = (each) => [nameCell(link(kind, each.place)), bar(each.value, 1), numeric(each.value)];
      lists.push(list(`Nearest ${kind}s`, near.length ? `By the ${data.nearness} of their ${lines} of weights` : "None", [kind, "", data.nearness], near, line));
    }
    byId("lists").replaceChildren(...lists);
    network(kind, place);
    document.title = `${visible(name)} (${kind}) - ${title}`;
    const strongest = bySize([...all]).slice(0, 3);
    say(`${kind} ${name}. Strongest ${other}s: ${strongest.map((each) => `${sides[other].names[each.place]} ${shown(each.value)}`).join(", ") || "none"}.`);
    if (focus) {
      byId("chosen-name").focus({ preventScroll: true });
      byId("chosen").scrollIntoView({ block: "start" });
    }
  }

  // The network: the chosen name, what is strongest of it, and what else is strong there.

  function edgesOf(kind, place) {
    const other = OTHER[kind];
    const far = bySize(stored(kind, place)).slice(0, 6).map((each) => each.place);
    const near = new Map([[place, Infinity]]);
    for (const each of far) {
      for (const { place: rival, value } of bySize(stored(other, each)).slice(0, 3)) {
        near.set(rival, Math.max(near.get(rival) || 0, Math.abs(value)));
      }
    }
    const kept = [...near].sort((a, b) => b[1] - a[1]).slice(0, 9).map(([rival]) => rival);
    const edges = [];
    for (const left of kept) {
      for (const right of far) {
        const [cue, outcome] = kind === "cue" ? [left, right] : [right, left];
        const value = weightOf(cue, outcome);
        if (value) edges.push({ cue, outcome, value });
      }
    }
    bySize(edges);
    // Lines too thin to follow are left out, but for those of what is chosen.
    return edges.filter((each) => each[kind] === place || Math.abs(each.value) > Math.abs(edges[0].value) / 25).slice(0, 40);
  }

  /** Heights from 0 to 1 for both sides, so that few lines cross. */
  function untangled(edges) {
    const order = { cue: [...new Set(edges.map((each) => each.cue))], outcome: [...new Set(edges.map((each) => each.outcome))] };
    const spread = (places) => new Map(places.map((each, at) => [each, places.length === 1 ? 0.5 : at / (places.length - 1)]));
    const heights = { cue: spread(order.cue), outcome: spread(order.outcome) };
    for (let sweep = 0; sweep < 8; sweep++) {
      const kind = sweep % 2 ? "cue" : "outcome", other = OTHER[kind];
      const mean = new Map(order[kind].map((place) => {
        const mine = edges.filter((each) => each[kind] === place);
        const whole = mine.reduce((sum, each) => sum + Math.abs(each.value), 0);
        return [place, mine.reduce((sum, each) => sum + Math.abs(each.value) * heights[other].get(each[other]), 0) / whole];
      }));
      order[kind].sort((a, b) => mean.get(a) - mean.get(b));
      heights[kind] = spread(order[kind]);
    }
    return heights;
  }

  let redrawn = null;

  function network(kind, place) {
    const edges = edgesOf(kind, place);
    byId("network-panel").hidden = !edges.length;
    if (!edges.length) return;
    const heights = untangled(edges);
    const name = visible(sides[kind].names[place]);
    byId("network").setAttribute("aria-label", `Network of ${kind} ${name}: ${edges.length} lines from cues on the left to outcomes on the right`);
    byId("network-note").textContent =
      `Cues on the left, outcomes on the right: what is strongest of ${short(name, 30)}, and what else is strong there. ` +
      "Wide lines are strong, blue ones positive, red and dashed ones negative.";
    byId("network-table").replaceChildren(table(["cue", "outcome", "weight"], edges.map((each) => [
      nameCell(short(data.cues[each.cue], LONGEST)), nameCell(short(data.outcomes[each.outcome], LONGEST)), numeric(each.value),
    ])));
    redrawn = (width) => {
      const wide = width > 560, margin = wide ? Math.min(220, width / 3.2) : width / 3.1;
      const most = Math.max(heights.cue.size, heights.outcome.size);
      const high = Math.max(most * 30, 90), top = 18;
      const at = (side, each) => top + heights[side].get(each) * (high - 2 * top);
      const strongest = Math.abs(edges[0].value);
      const picture = drawn("svg", { viewBox: `0 0 ${width} ${high}`, width, height: high });
      for (const { cue, outcome, value } of [...edges].reverse()) {
        const share = Math.abs(value) / strongest;
        const [y1, y2] = [at("cue", cue), at("outcome", outcome)];
        const [x1, x2] = [margin + 6, width - margin - 6], middle = (x1 + x2) / 2;
        picture.append(drawn("path", {
          d: `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, class: `edge ${value < 0 ? "negative" : "positive"}`,
          "stroke-width": (0.8 + 5.2 * share).toFixed(2), "stroke-opacity": (0.3 + 0.7 * share).toFixed(2),
          "stroke-dasharray": value < 0 ? "7 4" : null,
        }, drawn("title", {}, `${visible(data.cues[cue])} \u2192 ${visible(data.outcomes[outcome])}: ${shown(value)}`)));
      }
      for (const side of ["cue", "outcome"]) {
        for (const each of heights[side].keys()) {
          const full = visible(sides[side].names[each]);
          const left = side === "cue";
          picture.append(drawn("a", { href: `#${side}-${each}`, "aria-label": `${side} ${full}` }, drawn("text", {
            x: left ? margin : width - margin, y: at(side, each) + 4, "text-anchor": left ? "end" : "start",
            class: side === kind && each === place ? "chosen" : null,
          }, short(full, Math.floor(margin / 7)), drawn("title", {}, full))));
        }
      }
      return picture;
    };
    fitted();
  }

  const fitted = (() => {
    let again = null;
    return () => { again = again || drawnToFit(byId("network"), (width) => redrawn(width)); again(); };
  })();

  // The search: names that begin so come before those that have it inside, exact ones first.

  const input = byId("search"), found = byId("found");
  let options = [], active = -1;

  function matches(text) {
    const wanted = text.toLowerCase();
    const groups = [[], [], []];
    let whole = 0;
    for (const kind of ["cue", "outcome"]) {
      sides[kind].folded.forEach((name, place) => {
        const where = name.indexOf(wanted);
        if (where < 0) return;
        whole++;
        const group = groups[name === wanted ? 0 : where === 0 ? 1 : 2];
        if (group.length < 400) group.push({ kind, place });
      });
    }
    return [groups.flat().slice(0, 40), whole];
  }

  function close() {
    found.hidden = true;
    options = [];
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function search() {
    const text = input.value;
    if (text === "") return close();
    const [kept, whole] = matches(text);
    options = kept;
    active = -1;
    input.removeAttribute("aria-activedescendant");
    found.replaceChildren(...kept.map(({ kind, place }, at) => element(
      "li", { role: "option", id: `found-${at}`, "aria-selected": "false", onclick: () => choose(at) },
      element("span", {}, short(sides[kind].names[place], 2 * LONGEST)), element("span", {}, kind),
    )));
    found.hidden = !kept.length;
    input.setAttribute("aria-expanded", String(kept.length > 0));
    const told = whole
      ? `${counted(whole)} ${whole === 1 ? "name has" : "names have"} that${whole > kept.length ? `; the first ${kept.length} are listed` : ""}.`
      : "No name has that.";
    say(told);
    byId("search-help").textContent = whole ? `${told} Arrow keys and Enter choose, Escape closes.` : told;
    return undefined;
  }

  function mark(at) {
    if (!options.length) return;
    active = (at + options.length) % options.length;
    [...found.children].forEach((each, place) => each.setAttribute("aria-selected", String(place === active)));
    found.children[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `found-${active}`);
  }

  function choose(at) {
    const { kind, place } = options[at];
    input.value = sides[kind].names[place];
    close();
    const wanted = `#${kind}-${place}`;
    if (location.hash === wanted) follow(true);
    else location.hash = wanted;
  }

  input.addEventListener("input", search);
  input.addEventListener("blur", () => setTimeout(close, 200));
  found.addEventListener("pointerdown", (event) => event.preventDefault());
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!options.length) search();
      mark(active + (event.key === "ArrowDown" ? 1 : active < 0 ? 0 : -1));
    } else if (event.key === "Enter") {
      if (!options.length) search();
      if (options.length) choose(Math.max(active, 0));
    } else if (event.key === "Escape" && options.length) {
      close();
    } else {
      return;
    }
    event.preventDefault();
  });

  // The whole.

  const title = document.title;
  const pair = ([cue, outcome, value]) => [nameCell(link("cue", cue)), nameCell(link("outcome", outcome)), numeric(value)];
  byId("strongest").replaceWith(list("Strongest weights", "By size, positive or negative", ["cue", "outcome", "weight"], data.strongest, pair));
  histogram(data.histogram);

  function histogram({ edges, counts, zeros }) {
    const whole = counts.reduce((sum, each) => sum + each, 0);
    const most = Math.max(...counts, 1), logarithmic = most > 200;
    const height = (count) => (logarithmic ? Math.log10(1 + count) / Math.log10(1 + most) : count / most);
    byId("histogram-note").textContent =
      `${counted(whole)} weights, ${counted(zeros)} of them exactly 0${logarithmic ? "; the scale of the counts is logarithmic" : ""}.`;
    if (!whole) return;
    byId("histogram-table").append(table(["from", "to", "weights"], [...counts].map((count, at) => [
      numeric(edges[at]), numeric(edges[at + 1]), numeric(count),
    ]), { numbers: 3 }));
    for (const cell of byId("histogram-table").querySelectorAll("td:last-child")) cell.textContent = counted(Number(cell.dataset.value));
    const low = edges[0], high = edges[edges.length - 1];
    drawnToFit(byId("histogram"), (width) => {
      const tall = 280, left = 52, right = width - 10, top = 8, bottom = tall - 40;
      const across = (value) => left + (value / 2 - low / 2) / (high / 2 - low / 2) * (right - left);
      const picture = drawn("svg", {
        viewBox: `0 0 ${width} ${tall}`, width, height: tall, role: "img",
        "aria-label": `Histogram of ${counted(whole)} weights from ${shown(low)} to ${shown(high)}`,
      });
      picture.append(drawn("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
      const levels = logarithmic ? powers(most) : ticks(0, most, 4).filter(Number.isInteger);
      for (const level of levels) {
        const y = bottom - height(level) * (bottom - top);
        picture.append(
          drawn("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
          axisText(left - 6, y + 4, "end", brief(level)),
        );
      }
      counts.forEach((count, at) => {
        if (!count) return;
        const x = across(edges[at]), size = height(count) * (bottom - top);
        picture.append(drawn("rect", {
          class: "bars", x: x + 0.5, width: Math.max(across(edges[at + 1]) - x - 1, 1), y: bottom - Math.max(size, 1), height: Math.max(size, 1),
        }, drawn("title", {}, `${shown(edges[at])} to ${shown(edges[at + 1])}: ${counted(count)}`)));
      });
      for (const value of ticks(low, high, width / 90)) {
        picture.append(axisText(across(value), bottom + 16, "middle", plain(value)));
      }
      picture.append(axisText((left + right) / 2, tall - 6, "middle", "weight"));
      return picture;
    });
  }

  /** A count on the axis, where there is little room. */
  function brief(count) {
    return count >= 1e6 ? `${plain(count / 1e6)}M` : count >= 1e4 ? `${plain(count / 1e3)}k` : counted(count);
  }

  function powers(most) {
    const found = [];
    const step = most > 1e5 ? 100 : 10;
    for (let level = 1; level <= most; level *= step) found.push(level);
    return found;
  }

  // The address says what is chosen, so that the browser's way back works.

  function follow(focus) {
    const asked = /^#(cue|outcome)-(\d+)$/.exec(location.hash);
    if (asked && Number(asked[2]) < sides[asked[1]].names.length) {
      show(asked[1], Number(asked[2]), focus);
    } else {
      byId("chosen").hidden = true;
      document.title = title;
      if (focus) byId("all-name").focus();
    }
  }

  addEventListener("hashchange", () => follow(true));
  follow(false);
}

start(weightsPage);
