import { pairEqualLines } from "../changes/match/equal-lines.ts";
import { type IndentationMap, indentationOf, mapIndentation } from "../changes/match/indentation.ts";

const splitLines = (text: string): string[] => text.split(/\r\n|\r|\n/);

/**
 * New text for a place that was found although it is not exactly what was asked for: lines that the edit leaves
 * as they are keep the bytes of the file, and the others are indented as the file is there.
 *
 * @param there Text of the place; as many lines as `oldText`.
 * @returns `undefined` when new lines would have to be indented, and it cannot be told how.
 */
export function carryOver(there: string, oldText: string, newText: string): string | undefined {
  const found = splitLines(there);
  const asked = splitLines(oldText);
  const wanted = splitLines(newText);
  const kept = pairEqualLines(asked, wanted);
  let map: IndentationMap | undefined;
  const lines: string[] = [];
  for (const [index, line] of wanted.entries()) {
    const same = kept[index];
    if (same !== undefined) {
      lines.push(found[same] ?? line);
      continue;
    }
    if (line.trim() === "") {
      lines.push(line);
      continue;
    }
    map ??= indentationMap(asked, found);
    const own = indentationOf(line);
    const indentation = index === 0 && own === "" ? startOf(asked, found, map) : map?.(own);
    if (indentation === undefined) return undefined;
    lines.push(indentation + line.slice(own.length));
  }
  return lines.join("\n");
}

/** Text copied from the middle of a line lacks the indentation of its first line: then the others tell. */
function indentationMap(asked: readonly string[], found: readonly string[]): IndentationMap | undefined {
  const map = mapIndentation(asked, found);
  return map === undefined && indentationOf(asked[0] ?? "") === ""
    ? mapIndentation(asked.slice(1), found.slice(1))
    : map;
}

/** A first line without indentation takes the place of one that was asked for without it. */
function startOf(
  asked: readonly string[],
  found: readonly string[],
  map: IndentationMap | undefined,
): string | undefined {
  const first = asked[0] ?? "";
  return first.trim() !== "" && indentationOf(first) === "" ? indentationOf(found[0] ?? "") : map?.("");
}
