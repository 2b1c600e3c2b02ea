// Curves over tokens: charts side by side, what is drawn, a cursor, numbers.
// A view has lines (name, title) and groups (name, at: the recorded tokens, phases, of(line): values or null, points(line)).

const COLOURS = 7;
const DASHES = ["", "7 3", "2 3", "10 3 2 3"];
const DRAWN_AT_FIRST = 7;
const LISTED = 200;
// Lines lie upon each other where less than this share of the height is between them, over this share of the tokens.
const NEAR = 0.01, LONG = 0.2;
const STROKE = 10;

function curvesView({ lines, groups, first, label, ceiling }) {
  const several = groups.length > 1;
  const styles = new Map();
  const overlaid = new Map();
  const hidden = new Set();
  let cursor = null;
  let range = [0, 1];

  for (const line of first.slice(0, DRAWN_AT_FIRST)) add(line);

  function add(line) {
    const taken = new Set(styles.values());
    let style = 0;
    while (taken.has(style)) style++;
    styles.set(line, style);
  }

  const chosen = () => [...styles.keys()].sort((a, b) => lines.indexOf(a) - lines.indexOf(b));
  const seen = () => groups.filter((group) => !hidden.has(group));

  function ink(line) {
    const style = styles.get(line);
    return { stroke: `var(--c${style % COLOURS})`, "stroke-dasharray": DASHES[Math.floor(style / COLOURS) % DASHES.length] || null, ...overlaid.get(line) };
  }

  /** Of k lines that lie upon each other, the first is drawn as it is, the others with strokes that take turns. */
  function overlay() {
    const near = NEAR * (range[1] - range[0]);
    const alike = (some, others) => some.some((curve, group) => {
      const other = others[group];
      return curve && other && curve.filter((value, place) => Math.abs(value - other[place]) <= near).length >= LONG * curve.length;
    });
    const sets = [];
    for (const line of chosen()) {
      const curves = seen().map((group) => group.of(line));
      const home = sets.find((set) => alike(set.curves, curves));
      if (home) home.lines.push(line); else sets.push({ lines: [line], curves });
    }
    overlaid.clear();
    for (const { lines: [, ...others] } of sets) {
      others.forEach((line, place) => overlaid.set(line, {
        "stroke-dasharray": `${STROKE} ${others.length * STROKE}`, "stroke-dashoffset": (others.length - place) * STROKE,
      }));
    }
  }

  /** The place of the last recorded token that is not after the cursor. */
  function placeOf(group) {
    if (cursor === null) return group.at.length - 1;
    let low = 0, high = group.at.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (group.at[middle] <= cursor) low = middle; else high = middle - 1;
    }
    return low;
  }

  const phaseOf = (group, token) => group.phases.find((each) => each.from < token && token <= each.to);

  function whereOf(group, place) {
    const token = group.at[place], phase = phaseOf(group, token);
    return `token ${counted(token)}${phase ? `, ${visible(phase.name)}` : ""}`;
  }

  // Charts.

  const redraws = new Map();

  function charts() {
    byId("view").classList.toggle("one", seen().length === 1);
    byId("charts").replaceChildren(...seen().map((group) => {
      const host = element("div", { class: "chart", role: "slider", tabindex: "0", "aria-orientation": "horizontal" });
      const panel = element("figure", { class: "panel" }, several ? element("figcaption", {}, element("h3", {}, visible(group.name))) : null, host);
      listen(host, group);
      requestAnimationFrame(() => redraws.set(group, drawnToFit(host, (width) => { name(host, group); return chart(group, host, width); })));
      return panel;
    }));
    for (const group of redraws.keys()) if (hidden.has(group)) redraws.delete(group);
  }

  function name(host, group) {
    const place = placeOf(group);
    host.setAttribute("aria-label", `Curves${several ? ` of ${group.name}` : ""}: arrow keys move the cursor`);
    host.setAttribute("aria-valuemin", "0");
    host.setAttribute("aria-valuemax", String(group.at.length - 1));
    host.setAttribute("aria-valuenow", String(place));
    const values = chosen().slice(0, 8).map((line) => [line, group.of(line)]).filter(([, curve]) => curve !== null);
    host.setAttribute("aria-valuetext", `${whereOf(group, place)}: ${values.map(([line, curve]) => `${line.name} ${shown(curve[place])}`).join(", ")}`);
  }

  function chart(group, host, width) {
    const high = Math.round(Math.min(380, Math.max(240, width * 0.55)));
    const left = 46, right = width - 12, top = group.phases.length ? 26 : 12, bottom = high - 38;
    const last = Math.max(group.at[group.at.length - 1], 1), start = group.at[0];
    const across = (token) => left + (token - start) / Math.max(last - start, 1) * (right - left);
    const down = (value) => bottom - (value - range[0]) / (range[1] - range[0]) * (bottom - top);
    const picture = drawn("svg", { viewBox: `0 0 ${width} ${high}`, width, height: high, "aria-hidden": "true" });
    for (const value of ticks(range[0], range[1], high / 60)) {
      picture.append(
        drawn("line", { class: Math.abs(value) < 1e-12 ? "axis" : "grid", x1: left, x2: right, y1: down(value), y2: down(value) }),
        axisText(left - 6, down(value) + 4, "end", plain(value)),
      );
    }
    for (const token of ticks(start, last, width / 90).filter(Number.isInteger)) {
      const x = across(token), text = counted(token);
      picture.append(axisText(x, bottom + 16, x + 3.4 * text.length > width ? "end" : "middle", text));
    }
    group.phases.forEach((phase, place) => {
      const [from, to] = [across(phase.from), across(phase.to)];
      if (place) picture.append(drawn("line", { class: "phase", x1: from, x2: from, y1: top - 14, y2: bottom }));
      const room = Math.floor((to - from) / 6.5);
      if (room > 2) picture.append(drawn("text", { class: "quiet", x: from + (place ? 5 : 0), y: top - 8 }, short(phase.name, room), drawn("title", {}, phase.name)));
    });
    const place = placeOf(group);
    for (const line of chosen()) {
      const curve = group.of(line);
      if (curve === null) continue;
      const style = ink(line);
      let points = "";
      for (let each = 0; each < curve.length; each++) {
        if (Number.isFinite(curve[each])) points += `${across(group.at[each]).toFixed(1)},${down(curve[each]).toFixed(1)} `;
      }
      picture.append(drawn("polyline", { class: "line", points, ...style }, drawn("title", {}, line.title)));
      for (const { token, value } of group.points(line)) {
        if (Number.isFinite(value)) picture.append(drawn("circle", {
          class: "probe", cx: across(token).toFixed(1), cy: down(value).toFixed(1), r: 4.5, fill: "var(--panel)", "stroke-width": 2, stroke: style.stroke,
        }, drawn("title", {}, `probe of ${line.title} after token ${counted(token)}: ${shown(value)}`)));
      }
      if (cursor !== null && Number.isFinite(curve[place])) picture.append(drawn("circle", { cx: across(group.at[place]), cy: down(curve[place]), r: 3.5, fill: style.stroke }));
    }
    if (cursor !== null) picture.append(drawn("line", { class: "cursor", x1: across(group.at[place]), x2: across(group.at[place]), y1: top, y2: bottom }));
    picture.append(
      axisText((left + right) / 2, high - 4, "middle", "token"),
      drawn("text", { class: "quiet", x: 10, y: (top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 10 ${(top + bottom) / 2})` }, label()),
    );
    host.tokenAt = (x) => start + (x - left) / (right - left) * Math.max(last - start, 1);
    return picture;
  }

  function listen(host, group) {
    host.addEventListener("pointermove", (event) => {
      const box = host.getBoundingClientRect();
      const token = Math.round(host.tokenAt((event.clientX - box.left) * host.firstChild.viewBox.baseVal.width / box.width));
      move(Math.min(Math.max(token, group.at[0]), group.at[group.at.length - 1]));
    });
    host.addEventListener("pointerleave", () => move(null));
    host.addEventListener("blur", () => move(null));
    host.addEventListener("keydown", (event) => {
      const place = placeOf(group), last = group.at.length - 1;
      const far = Math.max(1, Math.round(last / 10));
      const wanted = {
        ArrowRight: place + 1, ArrowUp: place + 1, ArrowLeft: place - 1, ArrowDown: place - 1,
        PageUp: place + far, PageDown: place - far, Home: 0, End: last,
      }[event.key];
      if (wanted === undefined) return;
      event.preventDefault();
      move(group.at[Math.min(Math.max(wanted, 0), last)]);
    });
  }

  let waiting = false;

  /** The cursor at a token; null: at the end, unseen. */
  function move(token) {
    if (token === cursor) return;
    cursor = token;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      for (const redraw of redraws.values()) redraw();
      values();
    });
  }

  // What is drawn, with the values at the cursor.

  const filter = byId("filter");
  filter.addEventListener("input", legend);
  byId("filter-choice").hidden = lines.length <= 12;

  let cells = [];

  function swatch(line) {
    const path = styles.has(line) ? drawn("path", { d: "M1 6H29", class: "line", ...ink(line), "stroke-dashoffset": null }) : null;
    return drawn("svg", { viewBox: "0 0 30 12", "aria-hidden": "true" }, path);
  }

  function legend() {
    const wanted = filter.value.toLowerCase();
    const matching = lines.filter((line) => line.name.toLowerCase().includes(wanted));
    // Of more than can be listed, those that are drawn come first.
    const found = matching.length > LISTED ? [...matching.filter((line) => styles.has(line)), ...matching.filter((line) => !styles.has(line))] : matching;
    const listed = found.slice(0, LISTED);
    cells = [];
    const heads = ["line", ...seen().map((group) => (several ? visible(group.name) : "value"))];
    const rows = listed.map((line) => {
      const box = element("input", { type: "checkbox", onchange: () => toggle(line, box) });
      box.checked = styles.has(line);
      const mine = seen().map(() => element("td", { class: "number" }));
      const label = element("label", {}, box, swatch(line), element("span", { title: line.title.length > 60 ? line.title.slice(0, 2000) : null }, short(line.title, 60)));
      cells.push([line, mine, label]);
      return [element("th", { scope: "row", class: "name" }, label), ...mine];
    });
    byId("lines").replaceChildren(table(heads, rows, { numbers: seen().length, caption: " " }));
    byId("lines-note").textContent = found.length > listed.length
      ? `The first ${LISTED} of ${counted(found.length)} lines: type a part of a name to find others.` : found.length ? "" : "No line has that name.";
    values();
  }

  function toggle(line, box) {
    if (box.checked) add(line); else styles.delete(line);
    refresh();
    say(`${line.name} ${box.checked ? "drawn" : "not drawn"}`);
  }

  function values() {
    const caption = byId("lines").querySelector("caption");
    const [one] = seen();
    if (one) caption.textContent = `After ${cursor === null ? `the last token${groups.length === 1 ? `, ${counted(one.at[one.at.length - 1])}` : ""}` : seen().length === 1 ? whereOf(one, placeOf(one)) : `token ${counted(cursor)}`}`;
    for (const [line, mine] of cells) {
      seen().forEach((group, at) => {
        const curve = group.of(line);
        const value = curve === null ? null : curve[placeOf(group)];
        mine[at].textContent = value === null ? "" : shown(value);
        if (value !== null) mine[at].dataset.value = whole(value);
      });
    }
  }

  // Numbers: of the drawn lines after each phase, or where there is none after some tokens; all of them as CSV.

  function numbers() {
    const drawnLines = chosen();
    const groupName = (group) => (several ? [element("th", { scope: "row", class: "name" }, visible(group.name))] : []);
    const rows = [];
    for (const group of seen()) {
      for (const place of stops(group)) {
        const phase = phaseOf(group, group.at[place]);
        const head = [...groupName(group), element("td", {}, counted(group.at[place]))];
        if (groups.some((each) => each.phases.length)) head.push(nameCell(phase ? visible(phase.name) : ""));
        rows.push([...head, ...drawnLines.map((line) => {
          const curve = group.of(line);
          return curve === null ? element("td", {}) : numeric(curve[place]);
        })]);
      }
    }
    const when = [...(several ? ["group"] : []), "after token"];
    const heads = [...when, ...(groups.some((each) => each.phases.length) ? ["phase"] : [])];
    const probes = seen().flatMap((group) => drawnLines.flatMap((line) => (group.of(line) === null ? [] : group.points(line)).map(({ token, value }) => [
      ...groupName(group), element("td", {}, counted(token)), nameCell(short(line.title, 60)), numeric(value),
    ])));
    byId("numbers").replaceChildren(
      table([...heads, ...drawnLines.map((line) => short(line.title, 40))], rows, { numbers: drawnLines.length }),
      ...(probes.length ? [table([...when, "probe of", "activation"], probes)] : []),
    );
  }

  function stops(group) {
    const last = group.at.length - 1;
    if (!group.phases.length) return [...new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((tenth) => Math.round(last * tenth / 10)))];
    const ends = new Set(group.phases.map((phase) => phase.to));
    return [...group.at.keys()].filter((place) => place === last || ends.has(group.at[place]));
  }

  function csv() {
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    let text = `${several ? "group," : ""}token,line,value\n`;
    for (const group of seen()) {
      for (const line of chosen()) {
        const curve = group.of(line);
        if (curve === null) continue;
        const head = several ? `${quoted(group.name)},` : "";
        for (let place = 0; place < curve.length; place++) text += `${head}${group.at[place]},${quoted(line.name)},${whole(curve[place])}\n`;
      }
    }
    return text;
  }

  byId("save").addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    element("a", { href: address, download: "curves.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say("Saved as curves.csv");
  });

  // Groups.

  if (several) {
    byId("group-choice").hidden = false;
    byId("group-choice").append(...groups.map((group) => {
      const box = element("input", { type: "checkbox", onchange: () => {
        if (box.checked) hidden.delete(group); else hidden.add(group);
        charts();
        legend();
        refresh();
      } });
      box.checked = true;
      return element("label", {}, box, visible(group.name));
    }));
  }

  /** Draw again: other values, or other lines. */
  function refresh() {
    let low = 0, high = ceiling();
    for (const group of seen()) {
      for (const line of chosen()) {
        const curve = group.of(line);
        if (curve === null) continue;
        for (const value of curve) {
          if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
        }
      }
    }
    // The difference of the largest numbers would be infinite.
    [low, high] = [Math.max(low, -1e300), Math.min(high, 1e300)];
    const room = (high - low || 1) * 0.04;
    range = [low < 0 ? low - room : 0, high > 0 || low === 0 ? (high || 1) + room : 0];
    overlay();
    for (const redraw of redraws.values()) redraw();
    for (const [line, , label] of cells) label.querySelector("svg").replaceWith(swatch(line));
    values();
    numbers();
  }

  charts();
  legend();
  refresh();
  return { refresh, chosen, seen };
}
