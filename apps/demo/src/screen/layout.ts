import { stripVTControlCharacters } from "node:util";

/** Columns a text takes on a terminal, colours not counted. */
export function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** One line of at most `width` columns; what is cut ends in `…`. Only for text without colours. */
export function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Lines of at most `width` columns, broken between words where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ").flatMap((long) => chop(long, width))) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

function chop(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  const characters = Array.from(word);
  const count = Math.ceil(characters.length / width);
  return Array.from({ length: count }, (_, i) => characters.slice(i * width, (i + 1) * width).join(""));
}

/** Rows as aligned columns with two blanks between them. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...rows.map((row) => widthOf(row[i] ?? ""))),
  );
  return rows.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i]!))
      .join("  ")
      .trimEnd(),
  );
}

/** Two texts beside each other, each cut to half of `width`. */
export function beside(left: readonly string[], right: readonly string[], width: number): string[] {
  const half = Math.floor((width - 3) / 2);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) =>
    `${pad(cut(left[i] ?? "", half), half)} │ ${cut(right[i] ?? "", half)}`.trimEnd(),
  );
}
