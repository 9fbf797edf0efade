import type { Policy, SessionKind, ToolFacts } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import {
  matrixLabel,
  matrixLegend,
  readMatrix,
  sessionKinds,
  type MatrixCell,
  type MatrixRow,
  type MatrixWord,
} from "@haft/policy";

export interface PictureOptions {
  /** The agent the sessions belong to. Default: one that no rule names. */
  agentId?: string;
  /** Name of the policy file, for the caption. */
  source?: string;
}

const who: Readonly<Record<SessionKind, string>> = {
  main: "one trusted owner",
  group: "many senders, this machine",
  sandboxed: "many senders, isolated",
};

/**
 * Shapes, so that the answer is not in the colour alone; drawn, so that it looks the same whatever
 * fonts there are. Each in a square of 16.
 */
const shapes: Readonly<Record<MatrixWord, string>> = {
  allow: '<path d="M3 8.5 6.5 12 13 4.5"/>',
  ask: '<path d="M5 5.5a3 3 0 1 1 4.4 2.7C8.4 8.7 8 9.2 8 10.2"/><path d="M8 13v.01"/>',
  grant: '<path d="M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5"/>',
  deny: '<path d="M4 4l8 8M12 4l-8 8"/>',
};

/** Hues that people with any kind of colour blindness tell apart, in two brightnesses. */
const style = `
  :root, svg { color-scheme: light dark; --page:#fff; --ink:#1b1f24; --soft:#57606a; --line:#d0d7de;
    --allow:#0b5a44; --allow-bg:#d5efe4; --ask:#6b4a00; --ask-bg:#fbe8bd;
    --grant:#0b4f7d; --grant-bg:#d8ebf9; --deny:#8a2b06; --deny-bg:#fadccd; }
  @media (prefers-color-scheme: dark) { :root, svg { --page:#0d1117; --ink:#e6edf3; --soft:#9198a1; --line:#30363d;
    --allow:#7fdcb8; --allow-bg:#0d3a2d; --ask:#f5c95c; --ask-bg:#453400;
    --grant:#8ccbf7; --grant-bg:#0c324d; --deny:#ffab85; --deny-bg:#521f0b; } }
  .allow { --fg:var(--allow); --bg:var(--allow-bg); } .ask { --fg:var(--ask); --bg:var(--ask-bg); }
  .grant { --fg:var(--grant); --bg:var(--grant-bg); } .deny { --fg:var(--deny); --bg:var(--deny-bg); }
  .mark { fill:none; stroke:var(--fg); stroke-width:1.8; stroke-linecap:round; stroke-linejoin:round; }`;

const font = "ui-sans-serif, system-ui, sans-serif";
const mono = "ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace";

/** Session kinds × tools as a picture that needs nothing else. The rule behind a cell is its title. */
export function drawMatrix(
  policy: Policy,
  tools: readonly ToolFacts[],
  options: PictureOptions = {},
): string {
  const rows = readMatrix(policy, tools, options.agentId);
  const left = Math.max(150, ...rows.map(({ name }) => name.length * 8.2 + 40));
  const column = 184;
  const top = 118;
  const height = 34;
  const legend = matrixLegend(rows);
  const width = left + column * sessionKinds.length + 24;
  const legendTop = top + rows.length * height + 28;
  const total = legendTop + legend.length * 26 + 12;
  const heads = sessionKinds.map((kind, index) => {
    const x = left + index * column + column / 2;
    return `<text class="head" x="${x}" y="80">${kind}</text><text class="soft mid" x="${x}" y="98">${who[kind]}</text>`;
  });
  const body = rows.map((row, index) => drawRow(row, top + index * height, left, column, height, width));
  const meanings = legend.map(([word, meaning, note], index) => {
    const y = legendTop + index * 26;
    return `<g class="${word}"><rect x="24" y="${y}" width="84" height="20" rx="6" fill="var(--bg)"/>${mark(word, 30, y + 2)}<text class="word" x="50" y="${y + 14.5}">${note ?? word}</text></g><text class="soft" x="120" y="${y + 14.5}">${meaning}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" role="img" aria-label="What each kind of session may do">
<style>${style}
  text { font: 13px ${font}; fill: var(--ink); } .title { font-weight: 650; font-size: 18px; }
  .head { font-weight: 650; font-size: 14px; text-anchor: middle; } .mid { text-anchor: middle; }
  .soft { fill: var(--soft); font-size: 12px; } .name { font: 13px ${mono}; } .word { fill: var(--fg); font-weight: 600; }
</style>
<rect width="${width}" height="${total}" fill="var(--page)"/>
<text class="title" x="24" y="36">What each kind of session may do</text>
<text class="soft" x="24" y="55">${caption(options)}</text>
${heads.join("\n")}
${body.join("\n")}
${meanings.join("\n")}
</svg>
`;
}

function drawRow(
  { name, cells }: MatrixRow,
  y: number,
  left: number,
  column: number,
  height: number,
  width: number,
): string {
  const drawn = sessionKinds.map((kind, index) => {
    const cell = cells[kind];
    const x = left + index * column + 6;
    const { word, label } = matrixLabel(cell);
    return `<g class="${word}"><title>${escape(titleOf(name, kind, cell))}</title><rect x="${x}" y="${y + 3}" width="${column - 12}" height="${height - 6}" rx="7" fill="var(--bg)"/>${mark(word, x + 46, y + height / 2 - 8)}<text class="word" x="${x + 70}" y="${y + height / 2 + 4.5}">${label}</text></g>`;
  });
  return `<line x1="24" x2="${width - 18}" y1="${y}" y2="${y}" stroke="var(--line)"/><text class="name" x="24" y="${y + height / 2 + 4.5}">${escape(name)}</text>${drawn.join("")}`;
}

/** The same as a page, with every reason also in words below, for those who cannot point at a cell. */
export function formatMatrixPage(
  policy: Policy,
  tools: readonly ToolFacts[],
  options: PictureOptions = {},
): string {
  const rows = readMatrix(policy, tools, options.agentId);
  const body = rows.map(({ name, cells }) => {
    const all = sessionKinds.map((kind) => {
      const cell = cells[kind];
      const { word, label } = matrixLabel(cell);
      return `<td><span class="cell ${word}" title="${escape(titleOf(name, kind, cell))}">${icon(word)}${label}</span></td>`;
    });
    return `<tr><th scope="row"><code>${escape(name)}</code></th>${all.join("")}</tr>`;
  });
  const reasons = rows.map(({ name, cells }) => {
    const items = sessionKinds.map((kind) => {
      const { reason, rule, source, fix } = cells[kind];
      const { word } = matrixLabel(cells[kind]);
      const change = fix === undefined ? "" : `<br><em>${escape(fix)}</em>`;
      return `<li><span class="cell small ${word}">${icon(word)}${kind}</span> ${escape(reason)}<br><small>${escape(rule)} — ${escape(source)}</small>${change}</li>`;
    });
    return `<details><summary><code>${escape(name)}</code></summary><ul>${items.join("")}</ul></details>`;
  });
  const legend = matrixLegend(rows).map(
    ([word, meaning, note]) =>
      `<li><span class="cell small ${word}">${icon(word)}${note ?? word}</span> ${meaning}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>What each kind of session may do</title>
<style>${style}
  body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--page); color: var(--ink); font: 15px/1.5 ${font}; }
  h1 { font-size: 1.4rem; margin: 0; } p { margin: .2rem 0 1.2rem; color: var(--soft); } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
  table { border-collapse: collapse; width: 100%; } th, td { padding: .25rem .4rem; border-top: 1px solid var(--line); }
  thead td { border: 0; } thead th { border: 0; font-weight: 650; } thead small { display: block; font-weight: 400; color: var(--soft); }
  th[scope=row] { text-align: left; font-weight: 400; } code { font-family: ${mono}; }
  .cell { display: flex; align-items: center; justify-content: center; gap: .4rem; padding: .2rem .6rem; border-radius: .5rem; background: var(--bg); color: var(--fg); font-weight: 600; }
  .small { display: inline-flex; padding: 0 .5rem; font-size: .85rem; } ul { list-style: none; padding: 0; } li { margin: .45rem 0; }
  svg { width: 1em; height: 1em; flex: none; } details { border-top: 1px solid var(--line); padding: .3rem 0; } summary { cursor: pointer; }
  small { color: var(--soft); } em { font-style: normal; }
</style>
<h1>What each kind of session may do</h1>
<p>${caption(options)}</p>
<table>
<thead><tr><td></td>${sessionKinds.map((kind) => `<th scope="col">${kind}<small>${who[kind]}</small></th>`).join("")}</tr></thead>
<tbody>
${body.join("\n")}
</tbody>
</table>
<ul>${legend.join("")}</ul>
<h2>Why</h2>
${reasons.join("\n")}
</html>
`;
}

function caption({ agentId, source }: PictureOptions): string {
  const rules = source === undefined ? "the built-in session table alone" : escape(source);
  return `by ${rules}${agentId === undefined ? "" : `, for agent ${escape(agentId)}`}`;
}

function titleOf(name: string, kind: SessionKind, { reason, rule, source, fix }: MatrixCell): string {
  return `${name} in ${kind} sessions\n${reason}\n${rule} — ${source}${fix === undefined ? "" : `\n${fix}`}`;
}

function mark(word: MatrixWord, x: number, y: number): string {
  return `<g class="mark" transform="translate(${x} ${y})">${shapes[word]}</g>`;
}

function icon(word: MatrixWord): string {
  return `<svg viewBox="0 0 16 16" aria-hidden="true"><g class="mark">${shapes[word]}</g></svg>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Line ends stay, for titles; nothing else that is invisible gets into a picture. */
function escape(text: string): string {
  const visible = text.split("\n").map(escapeInvisible).join("\n");
  return visible.replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
