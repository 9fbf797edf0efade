import { resolve } from "node:path/posix";
import type { Assignment, Command, HereDoc, Redirection, Word } from "unbash";
import type { TemplateCommand, Redirect } from "../command-template.ts";
import { isLineVariable } from "../programs/variables.ts";
import { locateFile } from "../words/names.ts";
import { quoteWord } from "../words/quote.ts";
import { expandWord, type ExpandedWord, expandValue } from "./expand-word.ts";
import { parseSimpleCommand, type SimpleCommand } from "./simple-command.ts";
import { markUnclear, NOT_CERTAIN, type State, takeGap, takeSpace } from "./state.ts";

export interface CommandMode {
  /** Follows the word `time`, perhaps with `-p`. */
  timed: boolean;
  posix: boolean;
  piped: boolean;
  chained: boolean;
}

type Item = Word | Assignment | Redirection;
type Variables = TemplateCommand["assignments"];

export async function readSimpleCommand(node: Command, state: State, how: CommandMode): Promise<void> {
  const read = await readWords(node, state, how);
  if (read === undefined) return;
  const { words, redirects, assignments, files, expanded } = read;
  if (words.length === 0) {
    await setVariables(assignments, redirects, state, how);
    return;
  }
  if (node.name?.text === "export" && node.prefix.length === 0 && words.length === 1) {
    await setVariables(assignments, redirects, state, how, true);
    return;
  }
  const timed = how.timed && state.shell === "bash";
  const at = state.commands.length;
  const { cwd, platform } = state;
  await addCommand({ words, redirects, assignments, cwd, platform, timed, expanded }, state, how);
  for (const file of files) state.files.push({ ...file, from: at, to: at });
  goTo(state, at, how);
}

async function addCommand(words: SimpleCommand, state: State, how: CommandMode): Promise<void> {
  const simple = { ...words, exports: listExports(state) };
  const { command, unclear, tied, inner, shellText } = parseSimpleCommand(simple);
  const started = inner && parseSimpleCommand(inner.command);
  const position = state.commands.length;
  const fills = new Map(command.fills);
  if (inner !== undefined) fills.set(inner.at, [{ program: position + 1 }]);
  state.commands.push({ ...command, fills });
  state.shape.push(position);
  state.length += command.argv.reduce((sum, word) => sum + word.length, 0);
  const wrapped = started !== undefined && started.command.wrappers.length > 0;
  const why =
    unclear ?? started?.unclear ?? (wrapped ? "find starts a program through another one" : undefined);
  if (started !== undefined) state.commands.push(started.command);
  if (shellText !== undefined) {
    fills.set(shellText.at, await state.readText(shellText));
    if (how.piped && state.unclear !== undefined) state.hasGap = true;
  }
  if (why === undefined) return;
  state.unclear ??= why;
  // Piped input can be code.
  if (!tied || how.piped) state.hasGap = true;
}

/** A branch or a loop may have changed a value. */
function listExports(state: State): Variables {
  return [...state.exported].flatMap((name) => {
    const value = state.variables.get(name);
    if (value !== undefined) return [{ name, value }];
    markUnclear(state, `it sets a variable (${name}) whose value is not known`);
    return [];
  });
}

function goTo(state: State, at: number, how: CommandMode): void {
  const command = state.commands[at];
  if (command === undefined || command.name !== "cd" || command.builtin !== true) return;
  if (how.piped) markUnclear(state, "it uses cd in a pipeline");
  state.cwd = resolve(state.cwd, command.argv[1] ?? "");
  const slot = how.chained ? undefined : state.shape.push("") - 1;
  state.pendingCd = { slot };
}

/** Programs get a new value of such a variable. */
export function isInEnvironment(name: string, { context }: State): boolean {
  return (
    context === undefined || Object.hasOwn(context.variables, name) || context.exported?.has(name) === true
  );
}

/** Assignments without a command apply to the rest of the line, and exported ones to each later command. */
async function setVariables(
  assignments: Variables,
  redirects: readonly Redirect[],
  state: State,
  how: CommandMode,
  isExport = false,
): Promise<void> {
  const [first] = assignments;
  if (first === undefined || redirects.length > 0) {
    markUnclear(state, isExport ? "it uses this form of export" : "it contains a redirect without a command");
    return;
  }
  const odd = assignments.find(
    ({ name }) => !isLineVariable(name) || (!isExport && isInEnvironment(name, state)),
  );
  if (odd !== undefined || how.chained || how.piped || how.timed) {
    markUnclear(state, `it sets a variable (${(odd ?? first).name})`);
    return;
  }
  state.variables = new Map([
    ...state.variables,
    ...assignments.map(({ name, value }) => [name, value] as const),
  ]);
  if (isExport) state.exported = new Set([...state.exported, ...assignments.map(({ name }) => name)]);
  const { cwd, platform } = state;
  await addCommand({ words: [{ text: ":" }], redirects: [], cwd, platform }, state, how);
}

async function readWords(node: Command, state: State, how: CommandMode) {
  const words: ExpandedWord[] = [];
  const redirects: Redirect[] = [];
  const assignments: { name: string; value: string }[] = [];
  const files: { path: string; access: "read" | "write" }[] = [];
  let isComplete = true;
  let expanded = false;
  const fail = (reason: string): void => {
    isComplete = false;
    markUnclear(state, reason);
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
      const value = state.source.slice(item.pos, item.end);
      const uses = assignments.find(({ name }) => new RegExp(`\\$\\{?${name}\\b`).test(value));
      if (typeof read === "string") fail(read);
      else if (uses !== undefined) fail(`it sets a variable (${read.name}) by another one (${uses.name})`);
      else assignments.push(read);
    } else {
      if (isContinued(items[index - 1], item, state)) fail(NOT_CERTAIN);
      const read = await readRedirect(item, state);
      if (read.unclear !== undefined) markUnclear(state, read.unclear);
      if (read.file !== undefined) files.push(read.file);
      if (read.redirect !== undefined) redirects.push(read.redirect);
    }
    state.at = item.end;
  }
  return isComplete ? { words, redirects, assignments, files, expanded } : undefined;
}

/** Digits before a redirect belong to it, even across a continued line: `2\` and `>out`. */
function isContinued(before: Item | undefined, { pos }: Redirection, { source }: State): boolean {
  return before?.end === pos && source.slice(before.pos, pos).includes("\\\n");
}

function isOneText(words: readonly ExpandedWord[]): boolean {
  return words.length === 1 && words[0]?.fill === undefined;
}

const EXPORTED = /^(?:[\w.,:@%+=/-]*|'[^']*'|"[^"`\\]*")$/;

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
  if (!isPlain || item.value.type !== "Word") return why;
  // Some shells split other values of export.
  const isExport =
    node.name?.text === "export" && EXPORTED.test(state.source.slice(item.value.pos, item.end));
  if (!node.prefix.includes(item) && !isExport) return why;
  if (state.source.slice(item.pos, item.value.pos) !== `${item.name}=` || item.value.end !== item.end)
    return why;
  const value = expandValue(item.value, state);
  return "unclear" in value ? value.unclear : { name: item.name, value: value.value };
}

interface ReadRedirect {
  redirect?: Redirect;
  file?: { path: string; access: "read" | "write" };
  unclear?: string;
}

const WRITING = /^(?:>>?|>\||&>>?|<>)$/;
const PLAIN = /^(?:0?<|[12]?>[>|]?)$/;

/** Compares the source with the parser's result. */
async function readRedirect(item: Redirection, state: State): Promise<ReadRedirect> {
  if (item.type === "HereDoc") {
    const read = readHereDocument(item, state);
    return typeof read === "object" && "unclear" in read ? read : { redirect: read };
  }
  if (item.type === "HereString") return { unclear: "it uses a here-string (<<<)" };
  const source = state.source.slice(item.pos, item.end);
  const [, digits = "", operator = "", rest = ""] =
    /^(\d*)(>>|>&|>\||&>>|&>|<&|<>|>|<)[ \t]*([^]*)$/.exec(source) ?? [];
  if (item.target === undefined || operator !== item.operator || item.target.end !== item.end)
    return { unclear: "it has a redirect that cannot be read for certain" };
  // Only some shells expand file names here.
  if (/[*?[{]/.test(rest)) return { unclear: "it has a redirect that cannot be read for certain" };
  const target = await expandWord(item.target, state);
  if ("unclear" in target)
    return target.unclear === NOT_CERTAIN
      ? { unclear: "it has a redirect that cannot be read for certain" }
      : target;
  const [word, ...others] = target.words;
  if (word === undefined || word.text === "" || others.length > 0 || word.fill !== undefined)
    return { unclear: "it has a redirect that cannot be read for certain" };
  const isDuplicate = operator === ">&" && /^[12]?$/.test(digits) && /^[12]$/.test(rest);
  // Shells take the number for the next redirect: `>2>&1`.
  if (/^\d+$/.test(rest) && /[<>]/.test(state.source.charAt(item.end)))
    return { unclear: "it has a redirect that cannot be read for certain" };
  if (isDuplicate) return { redirect: `${digits}>&${rest}` };
  const isNull = word.text === "/dev/null";
  if (isNull && /^>>?$/.test(operator) && /^[12]?$/.test(digits))
    return { redirect: `${digits}${operator}/dev/null` };
  if (isNull && operator === "<" && /^0?$/.test(digits)) return { redirect: `${digits}</dev/null` };
  if (operator === "<&" || operator === ">&") return { unclear: `it redirects with ${source}` };
  const access = WRITING.test(operator) ? "write" : "read";
  const file = { path: locateFile(word.text, state.cwd), access } as const;
  const verb = access === "write" ? "writes to" : "reads from";
  if (!PLAIN.test(digits + operator))
    return { unclear: `it ${verb} a file by a redirect (${operator})`, file };
  // In a view, the shell opens the file; the view has other files than this machine.
  if (state.context === undefined) return { redirect: `${digits}${operator} ${quoteWord(word.text)}`, file };
  return { redirect: { operator: digits + operator, file: file.path }, file };
}

const OTHERWISE = "it has a here-document (<<) within $( ), which the bash of macOS (3.2) reads otherwise";

function readHereDocument(redirect: HereDoc, state: State): Redirect | { unclear: string } {
  const { source, cut, depth, platform } = state;
  if (depth > 0 && platform === "darwin") return { unclear: OTHERWISE };
  const { body, closing, delimiter, operator } = redirect;
  if (closing === undefined || delimiter === undefined)
    return { unclear: "its here-document (<<) has no end" };
  const start = source.slice(redirect.pos, redirect.end);
  const [, digits = "", read, rest = ""] = /^(\d*)(<<-?)[ \t]*([^]+)$/.exec(start) ?? [];
  if (read !== operator || !/^0?$/.test(digits) || rest !== delimiter.text) return { unclear: NOT_CERTAIN };
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
  cut.push({ pos: body.pos, end: closing.end + after.length });
  return { operator: digits + "<<", text: unindented.map((line) => `${line}\n`).join("") };
}
