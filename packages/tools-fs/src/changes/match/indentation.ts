import { getBaseName } from "../../paths/locate.ts";

export type IndentationMap = (indentation: string) => string | undefined;

export const getIndentation = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";

/**
 * Derives one rule for all lines: a longer, shorter or other prefix, or tabs instead of spaces, or the reverse. Without a rule, an
 * indentation maps to its only counterpart, else to `undefined`.
 */
export function mapIndentation(requested: readonly string[], there: readonly string[]): IndentationMap {
  const pairs = requested.flatMap((line, index): Pair[] => {
    const found = there[index] ?? "";
    return line.trim() === "" || found.trim() === "" ? [] : [[getIndentation(line), getIndentation(found)]];
  });
  if (pairs.every(([from, to]) => from === to)) return (indentation) => indentation;
  const rule = mapUnits(pairs) ?? mapPrefix(pairs);
  if (rule !== undefined) return rule;
  const known = new Map<string, string | undefined>();
  for (const [from, to] of pairs) known.set(from, known.has(from) && known.get(from) !== to ? undefined : to);
  return (indentation) => known.get(indentation);
}

export function isReindented(
  requested: readonly string[],
  there: readonly string[],
  from: number,
  to: number,
): boolean {
  for (let at = Math.max(0, from); at < Math.min(requested.length, to); at += 1) {
    const line = requested[at] as string;
    if (line.trim() !== "" && getIndentation(line) !== getIndentation(there[at] ?? "")) return true;
  }
  return false;
}

type Pair = readonly [from: string, to: string];

const WIDTHS = [4, 2, 8, 3];

function mapUnits(pairs: readonly Pair[]): IndentationMap | undefined {
  for (const width of WIDTHS) {
    const spaces = " ".repeat(width);
    for (const [from, to] of [[spaces, "\t"] as const, ["\t", spaces] as const]) {
      const map = (indentation: string): string | undefined => {
        const levels = levelsOf(indentation, from);
        return levels === undefined
          ? levelsOf(indentation, to) === undefined
            ? undefined
            : indentation
          : to.repeat(levels);
      };
      const all = pairs.every(
        ([requested, found]) => levelsOf(requested, from) !== undefined && map(requested) === found,
      );
      if (all) return map;
    }
  }
  return undefined;
}

function levelsOf(indentation: string, unit: string): number | undefined {
  const levels = indentation.length / unit.length;
  return unit.repeat(Math.floor(levels)) === indentation ? levels : undefined;
}

function mapPrefix(pairs: readonly Pair[]): IndentationMap | undefined {
  const [first] = pairs;
  if (first === undefined) return undefined;
  const [requested, found] = first;
  let common = 0;
  while (
    common < Math.min(requested.length, found.length) &&
    requested.at(-1 - common) === found.at(-1 - common)
  ) {
    common += 1;
  }
  const from = requested.slice(0, requested.length - common);
  const to = found.slice(0, found.length - common);
  const map = (indentation: string): string | undefined =>
    indentation.startsWith(from) ? to + indentation.slice(from.length) : undefined;
  return pairs.every((pair) => map(pair[0]) === pair[1]) ? map : undefined;
}

const EXTENSIONS = new Set(
  (
    "py pyi pyw pyx pxd bzl star smk gd nim nims coffee litcoffee hs lhs elm purs fs fsi fsx " +
    "yaml yml mk mak haml slim pug jade sass styl"
  ).split(" "),
);
const NAMES =
  /^(?:GNU)?makefile(?:\..+)?$|^(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?$|^(?:SConstruct|SConscript|Snakefile|Tiltfile|wscript|justfile)$/i;

/** Judges by the file name. */
export function isIndentationSyntax(path: string): boolean {
  const name = getBaseName(path);
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return NAMES.test(name) || (extension !== undefined && EXTENSIONS.has(extension));
}
