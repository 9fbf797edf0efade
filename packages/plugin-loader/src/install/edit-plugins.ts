import { isDeepStrictEqual } from "node:util";
import type * as Yaml from "yaml";

/** Other bytes stay. */
type Edit = (list: unknown[]) => unknown[];

export async function insertPlugin(text: string, use: string): Promise<string | undefined> {
  const yaml = await import("yaml");
  return checked(text, new PluginsInText(text, yaml).append(use), (list) => [...list, use], yaml);
}

/** Comments on separate lines stay. */
export async function deletePlugin(text: string, index: number): Promise<string | undefined> {
  const yaml = await import("yaml");
  return checked(text, new PluginsInText(text, yaml).remove(index), (list) => list.toSpliced(index, 1), yaml);
}

/** The edited text must have exactly the intended content. */
function checked(
  text: string,
  changed: string | undefined,
  edit: Edit,
  { parseDocument }: typeof Yaml,
): string | undefined {
  if (changed === undefined) return undefined;
  const [before, after] = [parseDocument(text), parseDocument(changed)];
  if (after.errors.length > 0) return undefined;
  const old = (before.toJS() ?? {}) as { plugins?: unknown[] };
  const wanted = { ...old, plugins: edit(old.plugins ?? []) };
  return isDeepStrictEqual(after.toJS(), wanted) ? changed : undefined;
}

class PluginsInText {
  readonly #text: string;
  readonly #yaml: typeof Yaml;
  readonly #root: unknown;
  readonly #end: string;

  constructor(text: string, yaml: typeof Yaml) {
    this.#text = text;
    this.#yaml = yaml;
    this.#root = yaml.parseDocument(text, { uniqueKeys: false }).contents;
    this.#end = text.includes("\r\n") ? "\r\n" : "\n";
  }

  append(use: string): string | undefined {
    const { isMap, isSeq } = this.#yaml;
    const root = this.#root;
    const list = this.#list();
    if (isSeq(list)) {
      if (list.items.length === 0) return this.#fill(list, use);
      const last = rangeOf(list.items.at(-1));
      if (last === undefined) return undefined;
      return list.flow ? this.#afterInFlow(last, JSON.stringify(use)) : this.#afterInBlock(list, last, use);
    }
    if (list !== undefined) return undefined;
    if (root === null) return this.#atEnd(this.#key(use));
    if (!isMap(root)) return undefined;
    if (!root.flow) return this.#atEnd(this.#key(use, this.#columnOf(rangeOf(root)?.[0] ?? 0)));
    const text = `"plugins": [${JSON.stringify(use)}]`;
    const last = root.items.at(-1);
    const range = rangeOf(last?.value) ?? rangeOf(last?.key);
    if (range !== undefined) return this.#afterInFlow([rangeOf(last?.key)?.[0] ?? range[0], range[1]], text);
    const [from, to] = rangeOf(root) ?? [0, 0];
    return this.#spliced(from, to, `{${this.#end}  ${text}${this.#end}}`);
  }

  remove(index: number): string | undefined {
    const { isSeq } = this.#yaml;
    const list = this.#list();
    if (!isSeq(list)) return undefined;
    const range = rangeOf(list.items[index]);
    if (range === undefined) return undefined;
    if (list.flow) return this.#withoutInFlow(range[0], range[1]);
    const from = this.#lineStart(range[0]);
    const to = this.#lineEnd(trimmedEnd(this.#text, range));
    if (list.items.length > 1) return this.#spliced(from, to, "");
    const colon = this.#text.indexOf(":", rangeOf(this.#pair()?.key)?.[1] ?? 0) + 1;
    return `${this.#text.slice(0, colon)} []${this.#text.slice(colon, from)}${this.#text.slice(to)}`;
  }

  #pair(): Yaml.Pair | undefined {
    const { isMap, isScalar } = this.#yaml;
    if (!isMap(this.#root)) return undefined;
    return this.#root.items.find(({ key }) => isScalar(key) && key.value === "plugins");
  }

  #list(): unknown {
    const pair = this.#pair();
    return pair === undefined ? undefined : (pair.value ?? null);
  }

  #fill(list: Yaml.YAMLSeq, use: string): string | undefined {
    const range = rangeOf(list);
    if (range === undefined || !list.flow) return undefined;
    const { isMap } = this.#yaml;
    if (isMap(this.#root) && this.#root.flow)
      return this.#spliced(range[0], range[1], `[${JSON.stringify(use)}]`);
    let from = range[0];
    while (this.#text[from - 1] === " ") from -= 1;
    const column = this.#columnOf(rangeOf(this.#pair()?.key)?.[0] ?? 0);
    const lines = this.#itemLines(use, column + 2);
    return this.#spliced(from, range[1], this.#end + lines.join(this.#end));
  }

  #afterInBlock(list: Yaml.YAMLSeq, last: Range, use: string): string {
    const column = this.#columnOf(rangeOf(list)?.[0] ?? 0);
    const at = this.#lineEnd(trimmedEnd(this.#text, last));
    const before = this.#text.slice(0, at);
    const start = before.endsWith("\n") ? before : before + this.#end;
    return `${start}${this.#itemLines(use, column).join(this.#end)}${this.#end}${this.#text.slice(at)}`;
  }

  /** On a new line if the last element of `[…]` or `{…}` starts a line. */
  #afterInFlow([from, to]: readonly [number, number, ...unknown[]], added: string): string {
    const text = this.#text;
    const lead = text.slice(this.#lineStart(from), from);
    const comma = /^\s*,/.exec(text.slice(to))?.[0];
    const head = text.slice(0, to) + (comma ?? ",");
    const rest = to + (comma?.length ?? 0);
    if (lead.trim() !== "") return `${head} ${added}${text.slice(rest)}`;
    // A comment after it belongs to it.
    const note = /^[ \t]*#[^\r\n]*/.exec(text.slice(rest))?.[0] ?? "";
    return `${head}${note}${this.#end}${lead}${added}${text.slice(rest + note.length)}`;
  }

  #withoutInFlow(from: number, to: number): string {
    const text = this.#text;
    const after = /^\s*,[ \t]*/.exec(text.slice(to))?.[0];
    const before = after === undefined ? (/,\s*$/.exec(text.slice(0, from))?.[0] ?? "") : "";
    const start = from - before.length;
    const end = to + (after?.length ?? 0);
    const lineStart = this.#lineStart(start);
    const lineEnd = this.#lineEnd(end);
    const isAlone = `${text.slice(lineStart, start)}${text.slice(end, lineEnd)}`.trim() === "";
    return isAlone && after !== undefined
      ? this.#spliced(lineStart, lineEnd, "")
      : this.#spliced(start, end, "");
  }

  #atEnd(lines: readonly string[]): string {
    const text = this.#text;
    const start = text === "" || text.endsWith("\n") ? text : text + this.#end;
    return `${start}${lines.join(this.#end)}${this.#end}`;
  }

  #key(use: string, column = 0): string[] {
    return [`${" ".repeat(column)}plugins:`, ...this.#itemLines(use, column + 2)];
  }

  #itemLines(use: string, column: number): string[] {
    const lines = this.#yaml.stringify([use], { lineWidth: 0 }).trimEnd().split("\n");
    return lines.map((line) => " ".repeat(Math.max(0, column)) + line);
  }

  #columnOf(offset: number): number {
    return offset - this.#lineStart(offset);
  }

  #lineStart(offset: number): number {
    return this.#text.lastIndexOf("\n", offset - 1) + 1;
  }

  #lineEnd(offset: number): number {
    const at = this.#text.indexOf("\n", offset);
    return at < 0 ? this.#text.length : at + 1;
  }

  #spliced(from: number, to: number, text: string): string {
    return this.#text.slice(0, from) + text + this.#text.slice(to);
  }
}

type Range = readonly [start: number, end: number, ...rest: unknown[]];

function rangeOf(node: unknown): Range | undefined {
  return (node as Yaml.Node | null | undefined)?.range ?? undefined;
}

function trimmedEnd(text: string, [from, to]: Range): number {
  return from + text.slice(from, to).trimEnd().length;
}
