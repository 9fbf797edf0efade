import type { Run } from "./read-screen.ts";

const FONT = 14;
/** A monospaced character's width, to which each run is stretched, so that columns align in all fonts. */
const WIDTH = 8.4;
const LINE = 20;
const SIDE = 20;
const BAR = 36;
const BELOW = 18;

/** A dark background for light and dark pages, with contrasts of at least 5:1. */
const GROUND = "#16191f";
const EDGE = "#2b313c";
const USUAL = "#d7dce3";
const FAINT = "#99a3b1";
/** The sixteen colours; others are drawn as default. */
const COLOURS = [
  "#99a3b1", "#ff8f86", "#8bd49c", "#f0c674", "#8ab4f8", "#d7a6f5", "#7fd6d6", "#d7dce3",
  "#99a3b1", "#ff8f86", "#8bd49c", "#f0c674", "#8ab4f8", "#d7a6f5", "#7fd6d6", "#ffffff",
]; // prettier-ignore

/** Draws a terminal as SVG with searchable text, without scripts, fonts or external resources. */
export function drawTerminal(
  lines: readonly Run[][],
  options: { title: string; altText: string; cols: number },
): string {
  const width = Math.round(options.cols * WIDTH + 2 * SIDE);
  const height = BAR + lines.length * LINE + BELOW;
  const dots = ["#e0685e", "#d9a441", "#5fae70"].map(
    (fill, at) => `<circle cx="${20 + at * 18}" cy="${BAR / 2}" r="5.5" fill="${fill}"/>`,
  );
  const rows = lines.map((runs, at) => {
    const y = BAR + (at + 1) * LINE - 6;
    return runs.map((run) => drawRun(run, y)).join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d">
<title id="t">${escapeXml(options.title)}</title>
<desc id="d">${escapeXml(options.altText)}</desc>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9.5" fill="${GROUND}" stroke="${EDGE}"/>
${dots.join("")}
<text x="${width / 2}" y="${BAR / 2 + 4}" text-anchor="middle" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12" fill="${FAINT}">${escapeXml(options.title)}</text>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" fill="${USUAL}" xml:space="preserve">
${rows.filter((row) => row !== "").join("\n")}
</g>
</svg>
`;
}

/** Separate words prevent long blanks in stretched runs. */
function drawRun({ column, text, colour, bold, dim }: Run, y: number): string {
  const fill = dim ? FAINT : typeof colour === "number" ? (COLOURS[colour] ?? USUAL) : colour;
  const look = `${fill === undefined ? "" : ` fill="${fill}"`}${bold ? ' font-weight="700"' : ""}`;
  return [...text.matchAll(/\S+(?: \S+)*/g)]
    .map(({ 0: words, index }) => {
      const x = (SIDE + (column + index) * WIDTH).toFixed(1);
      const long = (Array.from(words).length * WIDTH).toFixed(1);
      return `<text x="${x}" y="${y}" textLength="${long}"${look}>${escapeXml(words)}</text>`;
    })
    .join("");
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
