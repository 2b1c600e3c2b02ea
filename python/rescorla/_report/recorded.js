// Trajectories that were recorded: the curves, as they are.

function recordedPage({ tokens, names, curves, first, phases, label = "weight" }) {
  const lines = names.map(([cue, outcome]) => {
    const name = `${cue} \u2192 ${outcome}`;
    return { name, title: `${visible(cue)} \u2192 ${visible(outcome)}` };
  });
  const of = new Map(lines.map((line, place) => [line, curves.subarray(place * tokens.length, (place + 1) * tokens.length)]));
  const group = { name: "", at: tokens, phases, of: (line) => of.get(line), points: () => [] };
  curvesView({ lines, groups: [group], first: first.map((place) => lines[place]), label: () => label, ceiling: () => 0 });
}

start(recordedPage);
