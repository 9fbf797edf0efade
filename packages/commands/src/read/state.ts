import type { CommandExpansionPart } from "unbash";
import type { TemplateCommand, Fragment, RedirectedFile } from "../command-template.ts";
import type { ScriptContext } from "./script-context.ts";

/** Contains the result of reading a tree. The first reason for uncertainty stays, and reading continues. */
export interface ReadScript {
  commands: TemplateCommand[];
  shape: Fragment[];
  files: RedirectedFile[];
  looksAfter?: number;
  unordered?: "repeated" | "parallel";
  unclear?: string;
  tied?: true;
}

/** Describes the text of `sh -c`: its index in `argv`, its shell, and variables that only this shell gets. */
export interface ShellText {
  at: number;
  text: string;
  shell: string;
  assigned: TemplateCommand["assignments"];
}

export interface State extends ReadScript {
  source: string;
  shell: string;
  context: ScriptContext | undefined;
  platform: string | undefined;
  cwd: string;
  variables: ReadonlyMap<string, string | undefined>;
  /** Names variables that later commands get; `variables` has their values. */
  exported: ReadonlySet<string>;
  at: number;
  /** These must follow before the next word. */
  expected: string[];
  cut: { pos: number; end: number }[];
  /** It may fail. `slot`: its position, if the rest can depend on it. `isOptional`: it may be skipped, also if what follows `&&` runs. */
  pendingCd: { slot: number | undefined; isOptional?: true } | undefined;
  depth: number;
  readSubstitution: (command: CommandExpansionPart) => Promise<readonly Fragment[]>;
  readText: (text: ShellText) => Promise<readonly Fragment[]>;
  /** Counts the shells around the current text. */
  shells: number;
  /** Expansions may increase it. */
  length: number;
  hasGap: boolean;
}

/** Limits the characters of all words together, including the cost of searches. */
export const MAX_TOTAL_LENGTH = 1024 * 1024;
export const TOO_MANY_WORDS = "it comes to more words than anybody reads";
export const SKIPPED_EXPORT = "it exports a variable in a part that it may skip";
export const NOT_CERTAIN = "a part of it cannot be read for certain";

export function markUnclear(state: State, reason: string): void {
  state.unclear ??= reason;
  state.hasGap = true;
}

/** Searches depend on the effects of earlier commands. */
export function markFilesRead(state: State): void {
  state.looksAfter = Math.max(state.looksAfter ?? 0, state.commands.length);
}

export function expectNext(state: State, ...operators: readonly string[]): void {
  state.expected.push(...operators);
}

/** Folder and variables end with the subshell. */
export async function inSubshell(state: State, work: () => Promise<void>): Promise<void> {
  const { cwd, variables, exported, pendingCd } = state;
  state.pendingCd = undefined;
  await work();
  Object.assign(state, { cwd, variables, exported, pendingCd });
}

export function takeGap(state: State, to: number): void {
  const expected = tokens(state.expected.join(" "));
  // `#` begins a comment only after space or an operator.
  const plain = withoutCuts(state, state.at, to).replaceAll(/(^|[\s;|&(){}])#[^\n]*/g, "$1");
  let gap = plain.replaceAll("\\\n", " ");
  if (!expected.startsWith(";")) gap = gap.trimStart();
  if (!expected.endsWith(";")) gap = gap.trimEnd();
  state.expected = [];
  if (tokens(gap) !== expected) markUnclear(state, NOT_CERTAIN);
}

export function takeSpace(state: State, to: number): void {
  const gap = state.source.slice(state.at, to);
  if (!/^(?:[ \t]|\\\n)*$/.test(gap)) markUnclear(state, NOT_CERTAIN);
}

function withoutCuts({ source, cut }: State, from: number, to: number): string {
  let text = "";
  let at = from;
  for (const { pos, end } of cut.toSorted((a, b) => a.pos - b.pos)) {
    if (pos < at || pos >= to) continue;
    text += source.slice(at, pos);
    at = end;
  }
  return text + source.slice(at, Math.max(at, to));
}

/** A line end after these separates nothing. */
const SKIPS_LINE_END = /^(?:;|&|&&|\|\||\||\(|\{|do|if|then|elif|else|while|until|!)$/;

/** One space between operators; `;` for line ends that separate commands. */
function tokens(text: string): string {
  const found = text.match(/&&|\|\||\n|[|;&(){}!]|[^\s|;&(){}!]+/g) ?? [];
  const result: string[] = [];
  for (const token of found) {
    const last = result.at(-1);
    if (token === "\n" && last !== undefined && SKIPS_LINE_END.test(last)) continue;
    if (/^(?:\)|\}|done|fi)$/.test(token) && last === ";") result.pop();
    result.push(token === "\n" ? ";" : token);
  }
  return result.join(" ");
}
