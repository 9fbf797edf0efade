import headless, { type IBufferCell } from "@xterm/headless";

/** Neighbours with the same style. */
export interface Run {
  column: number;
  text: string;
  /** A terminal colour (of 256), or `#rrggbb`; `undefined` is default. */
  colour: number | string | undefined;
  bold: boolean;
  dim: boolean;
}

/** Returns a terminal's visible screen as lines of runs, without trailing blanks. */
export async function readScreen(told: string, cols: number): Promise<Run[][]> {
  const terminal = new headless.Terminal({ cols, rows: 200, allowProposedApi: true, convertEol: false });
  await new Promise<void>((resolve) => terminal.write(told, resolve));
  const { buffer } = terminal;
  const lines: Run[][] = [];
  for (let y = 0; y < buffer.active.length; y++) {
    const line = buffer.active.getLine(y);
    if (line === undefined) continue;
    const runs: Run[] = [];
    for (let x = 0; x < cols; x++) {
      const cell = line.getCell(x);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const look = lookOf(cell);
      const last = runs.at(-1);
      const goes =
        last !== undefined && last.colour === look.colour && last.bold === look.bold && last.dim === look.dim;
      const text = cell.getChars() || " ";
      if (goes) last.text += text;
      else runs.push({ column: x, text, ...look });
    }
    const seen = runs.map((run) => ({
      ...run,
      text: run.text.replace(/ +$/, run === runs.at(-1) ? "" : "$&"),
    }));
    lines.push(seen.filter(({ text }) => text.trim() !== ""));
  }
  terminal.dispose();
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function lookOf(cell: IBufferCell): Pick<Run, "colour" | "bold" | "dim"> {
  const colour = cell.isFgDefault()
    ? undefined
    : cell.isFgRGB()
      ? `#${cell.getFgColor().toString(16).padStart(6, "0")}`
      : cell.getFgColor();
  return { colour, bold: cell.isBold() !== 0, dim: cell.isDim() !== 0 };
}
