import type { CommandExpansionPart } from "unbash";
import type { TemplateCommand, Fragment, RedirectedFile } from "../command-template.ts";
import type { ScriptContext } from "./script-context.ts";

/** What a tree was read as. The first reason to be unsure is kept, and reading goes on for what else is there. */
export interface ReadScript {
  commands: TemplateCommand[];
  shape: Fragment[];
  files: RedirectedFile[];
  /** See `CommandTemplate.looksAfter`. */
  looksAfter?: number;
  unclear?: string;
  /** See `CommandTemplate.tied`. */
  tied?: true;
}

/** Where each read command begins and ends, and what holds where the next one runs. */
export interface State extends ReadScript {
  source: string;
  shell: string;
  context: ScriptContext | undefined;
  platform: string | undefined;
  cwd: string;
  /** What the line itself has set; `undefined` where that is not certain. */
  variables: ReadonlyMap<string, string | undefined>;
  /** End of what was accounted for. */
  at: number;
  /** Operators that have to follow there, before the next word. */
  expected: string[];
  /** Parts of the source that are no operators: here-documents. */
  cut: { pos: number; end: number }[];
  /** A `cd` was read that may have failed; its place in the shape, where what follows can be made to depend on it. */
  pendingCd: { slot: number | undefined } | undefined;
  /** How many `$( )` it is in. */
  depth: number;
  /** Reads what stands in `$( )`: how it is to be written. */
  readSubstitution: (command: CommandExpansionPart) => Promise<readonly Fragment[]>;
  /** Characters of all words so far: what was put in can be more than the line. */
  length: number;
  /** Something was not read at all. */
  hasGap: boolean;
}

/** Characters of all words together, with what it takes to find them: more are not looked at. */
export const MAX_TOTAL_LENGTH = 1024 * 1024;
export const TOO_MANY_WORDS = "it comes to more words than anybody reads";
export const NOT_CERTAIN = "a part of it cannot be read for certain";

export function markUnclear(state: State, reason: string): void {
  state.unclear ??= reason;
  state.hasGap = true;
}

/** What was looked for depends on what the commands before it leave behind. */
export function markFilesRead(state: State): void {
  state.looksAfter = Math.max(state.looksAfter ?? 0, state.commands.length);
}

/** Takes an operator: it has to stand before the next word. */
export function expectNext(state: State, ...operators: readonly string[]): void {
  state.expected.push(...operators);
}

/** Reads something for which the shell starts a copy of itself: where that goes and what it sets ends with it. */
export async function inSubshell(state: State, work: () => Promise<void>): Promise<void> {
  const { cwd, variables, pendingCd } = state;
  state.pendingCd = undefined;
  await work();
  Object.assign(state, { cwd, variables, pendingCd });
}

/** Holds what lies between the last word and the next against the operators that were read there. */
export function takeGap(state: State, to: number): void {
  const expected = tokens(state.expected.join(" "));
  // It begins after a word, so `#` begins a comment only after space or an operator.
  const plain = withoutCuts(state, state.at, to).replaceAll(/(^|[\s;|&(){}])#[^\n]*/g, "$1");
  let gap = plain.replaceAll("\\\n", " ");
  if (!expected.startsWith(";")) gap = gap.trimStart();
  if (!expected.endsWith(";")) gap = gap.trimEnd();
  state.expected = [];
  if (tokens(gap) !== expected) markUnclear(state, NOT_CERTAIN);
}

/** Between two words of a command there is only space. */
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

/** Operators with one space between them, and `;` for line ends where one could stand. */
function tokens(text: string): string {
  const found = text.match(/&&|\|\||\n|[|;&(){}!]|[^\s|;&(){}!]+/g) ?? [];
  const kept: string[] = [];
  for (const token of found) {
    const last = kept.at(-1);
    // Line ends mean nothing after another one, and after an operator.
    if (token === "\n" && last !== undefined && /^(?:;|&&|\|\||\||\(|\{|do|!)$/.test(last)) continue;
    // Nor does the last `;` before the end of a group.
    if (/^(?:\)|\}|done)$/.test(token) && last === ";") kept.pop();
    kept.push(token === "\n" ? ";" : token);
  }
  return kept.join(" ");
}
