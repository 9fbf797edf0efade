import type { HereDoc } from "unbash";
import type { Redirect } from "../outline.ts";
import { NOT_CERTAIN, type State } from "./state.ts";

const OTHERWISE = "it has a here-document (<<) within $( ), which the bash of macOS (3.2) reads otherwise";

/** What a here-document hands over, where nothing in it is put in. */
export function readHereDocument(redirect: HereDoc, state: State): Redirect | { unclear: string } {
  const { source, cut, depth, platform } = state;
  if (depth > 0 && platform === "darwin") return { unclear: OTHERWISE };
  const { body, closing, delimiter, operator } = redirect;
  if (closing === undefined || delimiter === undefined)
    return { unclear: "its here-document (<<) has no end" };
  const start = source.slice(redirect.pos, redirect.end);
  const [, digits = "", read, rest = ""] = /^(\d*)(<<-?)[ \t]*([^]+)$/.exec(start) ?? [];
  if (read !== operator || !/^0?$/.test(digits) || rest !== delimiter.text) return { unclear: NOT_CERTAIN };
  // A word with nothing odd in it, wholly quoted or not at all.
  const name = /^(?:'([\w.-]+)'|"([\w.-]+)"|([\w.-]+))$/.exec(rest);
  if (name === null || (name[1] ?? name[2] ?? name[3]) !== delimiter.value) return { unclear: NOT_CERTAIN };
  const isQuoted = name[3] === undefined;
  const text = source.slice(body.pos, body.end);
  const between = cut.reduceRight(
    (left, { pos, end }) =>
      pos >= redirect.end && end <= body.pos ? left.replace(source.slice(pos, end), "") : left,
    source.slice(redirect.end, body.pos),
  );
  const isBehindLine = /^[^\n]*\n$/.test(between);
  const end = source.slice(body.end, closing.end);
  const isClosed = (operator === "<<-" ? end.replace(/^\t+/, "") : end) === delimiter.value;
  const lines = text.split("\n").slice(0, -1);
  const unindented = operator === "<<-" ? lines.map((line) => line.replace(/^\t+/, "")) : lines;
  if (!isBehindLine || !isClosed || unindented.includes(delimiter.value)) return { unclear: NOT_CERTAIN };
  const after = source.slice(closing.end, closing.end + 1);
  if (after !== "" && after !== "\n") return { unclear: NOT_CERTAIN };
  if (text !== "" && !text.endsWith("\n")) return { unclear: NOT_CERTAIN };
  if (!isQuoted && /[$`\\]/.test(text))
    return { unclear: "its here-document (<<) has $, ` or \\ in it, and its end is not in quotes" };
  // The line end behind it is the end of the line before it.
  cut.push({ pos: body.pos, end: closing.end + after.length });
  return { operator: digits + "<<", text: unindented.map((line) => `${line}\n`).join("") };
}
