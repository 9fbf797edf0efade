export interface DiffLine {
  kind: "same" | "del" | "add";
  text: string;
  left?: number;
  right?: number;
}

export interface Hunk {
  /** The text after `@@`. */
  title: string;
  lines: DiffLine[];
}

/** Unknown lines become context. */
export function readDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [left, right] = [1, 1];
  // Only the first hunk has headers before it.
  const lines = diff.replace(/\n$/, "").split("\n");
  for (const line of lines) {
    const header = /^@@+(?: -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@+)?(.*)$/.exec(line);
    if (header !== null) {
      // Requested changes have no line numbers.
      [left, right] = [Number(header[1] ?? Number.NaN), Number(header[2] ?? Number.NaN)];
      hunks.push({ title: header[1] === undefined ? header[3]!.trim() : line, lines: [] });
    } else if (hunks.length === 0 && /^(?:--- |\+\+\+ |diff |index |={10})/.test(line)) {
      continue;
    } else if (!line.startsWith("\\ No newline")) {
      const hunk = hunks.at(-1) ?? hunks[hunks.push({ title: "", lines: [] }) - 1]!;
      const text = line.slice(1);
      if (line.startsWith("+")) hunk.lines.push({ kind: "add", text, right: right++ });
      else if (line.startsWith("-")) hunk.lines.push({ kind: "del", text, left: left++ });
      else
        hunk.lines.push({
          kind: "same",
          text: line.startsWith(" ") ? text : line,
          left: left++,
          right: right++,
        });
    }
  }
  return hunks;
}

export function sideBySide(
  lines: readonly DiffLine[],
): (readonly [left: DiffLine | undefined, right: DiffLine | undefined])[] {
  const rows: (readonly [DiffLine | undefined, DiffLine | undefined])[] = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.kind === "same") {
      rows.push([lines[at], lines[at]]);
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end]!.kind !== "same") end++;
    const block = lines.slice(at, end);
    const [removed, come] = [
      block.filter(({ kind }) => kind === "del"),
      block.filter(({ kind }) => kind === "add"),
    ];
    for (let index = 0; index < Math.max(removed.length, come.length); index++)
      rows.push([removed[index], come[index]]);
    at = end;
  }
  return rows;
}
