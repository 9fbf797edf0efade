import { resolve } from "node:path/posix";
import type { Assignment, Command, Redirection, Word } from "unbash";
import type { OutlinedCommand, Redirect } from "../outline.ts";
import { isOwnVariable } from "../programs/variables.ts";
import { expandWord, type GivenWord, valueOf } from "./expand-word.ts";
import { readRedirect } from "./read-redirect.ts";
import { outlineCommand, type SimpleCommand } from "./simple-command.ts";
import { doubt, NOT_CERTAIN, type State, takeGap, takeSpace } from "./state.ts";

/** How a command stands in its pipeline. */
export interface How {
  /** Behind the word `time`, and whether that has the option `-p`. */
  timed: boolean;
  posix: boolean;
  piped: boolean;
  /** Whether it runs is a question of what ran before it in its list. */
  chained: boolean;
}

type Item = Word | Assignment | Redirection;
type Variables = OutlinedCommand["assignments"];

/** Reads one simple command, and puts it into the shape where it can be read. */
export async function readSimpleCommand(node: Command, state: State, how: How): Promise<void> {
  const read = await readWords(node, state, how);
  if (read === undefined) return;
  const { words, redirects, assignments, files, expanded } = read;
  if (words.length === 0) {
    setVariables(assignments, redirects, state, how);
    return;
  }
  const timed = how.timed && state.shell === "bash";
  const at = state.commands.length;
  const { cwd, platform } = state;
  addCommand({ words, redirects, assignments, cwd, platform, timed, expanded }, state, how);
  for (const file of files) state.files.push({ ...file, from: at, to: at });
  goTo(state, at, how);
}

function addCommand(simple: SimpleCommand, state: State, how: How): void {
  const { command, unclear, tied, inner } = outlineCommand(simple);
  const started = inner && outlineCommand(inner.command);
  const place = state.commands.length;
  const fills = new Map(command.fills);
  if (inner !== undefined) fills.set(inner.at, [{ program: place + 1 }]);
  state.commands.push({ ...command, fills });
  state.shape.push(place);
  state.length += command.argv.reduce((sum, word) => sum + word.length, 0);
  const wrapped = started !== undefined && started.command.wrappers.length > 0;
  const why =
    unclear ?? started?.unclear ?? (wrapped ? "find starts a program through another one" : undefined);
  if (started !== undefined) state.commands.push(started.command);
  if (why === undefined) return;
  state.unclear ??= why;
  // What it reads from a pipe can be code.
  if (!tied || how.piped) state.hasGap = true;
}

/** What `cd` does to all that comes after it. */
function goTo(state: State, at: number, how: How): void {
  const command = state.commands[at];
  if (command === undefined || command.name !== "cd" || command.builtin !== true) return;
  if (how.piped) doubt(state, "it uses cd in a pipeline");
  state.cwd = resolve(state.cwd, command.argv[1] ?? "");
  const slot = how.chained ? undefined : state.shape.push("") - 1;
  state.moved = { slot };
}

/** Assignments without a command are for the rest of the line: nothing of them is left where all values are put in. */
function setVariables(assignments: Variables, redirects: readonly Redirect[], state: State, how: How): void {
  const [first] = assignments;
  if (first === undefined || redirects.length > 0) {
    doubt(state, "it contains a redirect without a command");
    return;
  }
  const known = state.ground?.variables;
  const odd = assignments.find(
    ({ name }) => known === undefined || Object.hasOwn(known, name) || !isOwnVariable(name),
  );
  if (odd !== undefined || how.chained || how.piped || how.timed) {
    doubt(state, `it sets a variable (${(odd ?? first).name})`);
    return;
  }
  state.variables = new Map([
    ...state.variables,
    ...assignments.map(({ name, value }) => [name, value] as const),
  ]);
  const { cwd, platform } = state;
  addCommand({ words: [{ text: ":" }], redirects: [], cwd, platform }, state, how);
}

/** All words of a command. `undefined` when one of them is not certain. */
async function readWords(node: Command, state: State, how: How) {
  const words: GivenWord[] = [];
  const redirects: Redirect[] = [];
  const assignments: { name: string; value: string }[] = [];
  const files: { path: string; access: "read" | "write" }[] = [];
  let isComplete = true;
  let expanded = false;
  const fail = (reason: string): void => {
    isComplete = false;
    doubt(state, reason);
  };
  const items: Item[] = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix];
  if (how.timed && state.shell !== "bash")
    words.push(...["time", ...(how.posix ? ["-p"] : [])].map((text) => ({ text })));
  for (const [index, item] of items.entries()) {
    if (index === 0) takeGap(state, item.pos);
    else takeSpace(state, item.pos);
    state.at = item.end;
    if (item.type === "Word") {
      const read = await expandWord(item, state);
      if ("unclear" in read) fail(read.unclear);
      else if (item === node.name && !isOneText(read.words))
        fail("it uses something else than a text for the name of a program");
      else {
        words.push(...read.words);
        expanded ||= read.expanded;
      }
    } else if (item.type === "Assignment") {
      const read = readAssignment(item, node, state);
      if (typeof read === "string") fail(read);
      else assignments.push(read);
    } else {
      if (isContinued(items[index - 1], item, state)) fail(NOT_CERTAIN);
      const read = await readRedirect(item, state);
      if (read.unclear !== undefined) doubt(state, read.unclear);
      if (read.file !== undefined) files.push(read.file);
      if (read.redirect !== undefined) redirects.push(read.redirect);
    }
    state.at = item.end;
  }
  return isComplete ? { words, redirects, assignments, files, expanded } : undefined;
}

/** Digits in front of a redirect are a part of it, also where a line that goes on divides them: `2\` and `>out`. */
function isContinued(before: Item | undefined, { pos }: Redirection, { source }: State): boolean {
  return before?.end === pos && source.slice(before.pos, pos).includes("\\\n");
}

function isOneText(words: readonly GivenWord[]): boolean {
  return words.length === 1 && words[0]?.fill === undefined;
}

function readAssignment(
  item: Assignment,
  node: Command,
  state: State,
): { name: string; value: string } | string {
  const why = `it sets a variable (${item.name})`;
  const isPlain =
    /^[A-Za-z_]\w*$/.test(item.name) &&
    item.append !== true &&
    item.index === undefined &&
    item.value.type === "Word";
  if (!isPlain || !node.prefix.includes(item) || item.value.type !== "Word") return why;
  if (state.source.slice(item.pos, item.value.pos) !== `${item.name}=` || item.value.end !== item.end)
    return why;
  if (state.ground === undefined) return why;
  const value = valueOf(item.value, state);
  return "unclear" in value ? value.unclear : { name: item.name, value: value.value };
}
