import { withoutUndefined } from "@haft/utils";
import type {
  CommandExpansionPart,
  CommandNode,
  CompoundList,
  For,
  parse as parseText,
  ParsedScript,
  Pipeline,
  Statement,
} from "unbash";
import type { Fragment } from "../command-template.ts";
import { isLineVariable } from "../programs/variables.ts";
import { quoteWord } from "../words/quote.ts";
import { expandWord } from "./expand-word.ts";
import { readIf, readWhile } from "./read-branches.ts";
import { type CommandMode, isInEnvironment, readSimpleCommand } from "./read-command.ts";
import { readShellText } from "./read-shell-text.ts";
import {
  markUnclear,
  expectNext,
  inSubshell,
  MAX_TOTAL_LENGTH,
  NOT_CERTAIN,
  type ReadScript,
  SKIPPED_EXPORT,
  type State,
  takeGap,
  takeSpace,
  TOO_MANY_WORDS,
} from "./state.ts";

const MAX_COMMANDS = 1000;
const EITHER_WAY = "whether that worked or not (join them with &&)";
const ALONE: CommandMode = { timed: false, posix: false, piped: false, chained: false };

/** Does not trust the parser: every character must belong to a known word, redirect, operator, comment or space. */
export async function readScript(
  script: ParsedScript,
  source: string,
  { parse, ...where }: Pick<State, "cwd" | "shell" | "context" | "platform"> & { parse: typeof parseText },
): Promise<ReadScript> {
  const state: State = {
    commands: [],
    shape: [],
    files: [],
    source,
    ...where,
    variables: new Map(),
    exported: new Set(),
    at: 0,
    expected: [],
    cut: [],
    pendingCd: undefined,
    depth: 0,
    readSubstitution: (command) => readInside(command, state),
    readText: (text) =>
      readShellText(text, state, {
        parse,
        statements: (list) => readStatements(list, state),
        end: (to) => takeEnd(state, to),
      }),
    shells: 0,
    length: 0,
    hasGap: false,
  };
  await readStatements(script.commands, state);
  if (state.commands.length > MAX_COMMANDS)
    markUnclear(state, `it contains more than ${MAX_COMMANDS} commands`);
  if (state.length > MAX_TOTAL_LENGTH) markUnclear(state, TOO_MANY_WORDS);
  if (state.commands.length === 0 && state.unclear === undefined)
    markUnclear(state, "it contains no command");
  takeEnd(state, source.length);
  const { commands, shape, files, unclear, hasGap, looksAfter, unordered } = state;
  const read = withoutUndefined<ReadScript>({ commands, shape, files, looksAfter, unordered });
  if (unclear === undefined) return read;
  return { ...read, unclear, ...(!hasGap && { tied: true }) };
}

const isTooMuch = ({ commands, length }: State): boolean =>
  commands.length > MAX_COMMANDS || length > MAX_TOTAL_LENGTH;

function takeEnd(state: State, to: number): void {
  const rest = state.source.slice(state.at, to).replaceAll(/(^|[\s;|&(){}])#[^\n]*/g, "$1");
  const isClosed = /(?:(?:^|[\s)}]|done|fi);|\n)\s*$/.test(rest);
  if (isClosed && state.expected.at(-1) !== "&") expectNext(state, ";");
  takeGap(state, to);
}

async function readStatements(statements: readonly Statement[], state: State): Promise<void> {
  for (const [index, statement] of statements.entries()) {
    if (index > 0) {
      if (statements[index - 1]?.background !== true) expectNext(state, ";");
      state.shape.push("\n");
    }
    await readStatement(statement, state);
    if (isTooMuch(state)) break;
  }
}

const readList = ({ commands }: CompoundList, state: State): Promise<void> => readStatements(commands, state);

async function readStatement({ command, background }: Statement, state: State): Promise<void> {
  await dependOnMove(state);
  if (background !== true) return readChain(command, state);
  await inSubshell(state, () => readChain(command, state));
  state.unordered ??= "parallel";
  expectNext(state, "&");
  state.shape.push(" &");
}

async function readChain(command: Statement["command"], state: State): Promise<void> {
  if (command.type !== "AndOr") {
    await readPipeline(command, state, ALONE);
    return;
  }
  const { variables } = state;
  const hasOr = command.operators.includes("||");
  for (const [index, part] of command.commands.entries()) {
    const join = command.operators[index - 1];
    if (join !== undefined) {
      expectNext(state, join);
      state.shape.push(` ${join} `);
    }
    if (state.pendingCd?.isOptional === true) markUnclear(state, "it goes on after cd in a branch (if)");
    await readPipeline(part, state, { ...ALONE, chained: index > 0 });
    if (isTooMuch(state)) return;
    // Commands before and after the `cd` may be skipped.
    if (hasOr && state.pendingCd !== undefined) markUnclear(state, `it uses cd beside || ${EITHER_WAY}`);
  }
  if (hasOr) forgetChanged(state, variables);
}

/** Assignments since `before` may have been skipped. */
function forgetChanged(state: State, before: State["variables"]): void {
  if (state.variables === before) return;
  state.variables = new Map(
    [...state.variables].map(([name, value]) => [name, before.get(name) === value ? value : undefined]),
  );
}

/** After `;`, the folder depends on the `cd`: the rest must run only after its success. */
async function dependOnMove(state: State): Promise<void> {
  const { pendingCd, context, cwd } = state;
  if (pendingCd === undefined) return;
  state.pendingCd = undefined;
  if (pendingCd.slot === undefined || context === undefined || (await context.getType(cwd)) !== "folder")
    markUnclear(state, `it goes on after cd ${EITHER_WAY}`);
  else state.shape[pendingCd.slot] = " || exit 1";
}

async function readPipeline(node: Pipeline | CommandNode, state: State, how: CommandMode): Promise<void> {
  if (node.type !== "Pipeline") {
    await readCommand(node, state, how);
    return;
  }
  const [prefix, ...others] = node.prefixes;
  const isNegated = prefix?.type === "Negation" && others.length === 0;
  const timed = prefix?.type === "Time" && others.length === 0 && node.commands.length === 1;
  if (others.length > 0) markUnclear(state, "it uses ! or time several times");
  else if (prefix?.type === "Time" && !timed) markUnclear(state, "it times several commands at once");
  const posix = prefix?.type === "Time" && prefix.posix !== undefined;
  if (posix && state.shell === "bash") markUnclear(state, "it uses time -p");
  if (isNegated) {
    expectNext(state, "!");
    state.shape.push("! ");
  } else if (timed) expectNext(state, "time", ...(posix ? ["-p"] : []));
  const from = state.files.length;
  const before = state.commands.length;
  const piped = how.piped || node.commands.length > 1;
  for (const [index, command] of node.commands.entries()) {
    const join = node.operators[index - 1];
    if (join === "|&") markUnclear(state, "it uses |&, which not every shell has");
    if (join !== undefined) {
      expectNext(state, "|");
      state.shape.push(" | ");
    }
    await readCommand(command, state, { ...how, timed, posix, piped });
  }
  if (isNegated && state.commands.length === before)
    markUnclear(state, "it has a ! and no command behind it");
  if (isNegated && state.pendingCd !== undefined) markUnclear(state, "it uses cd behind !");
  const to = state.commands.length - 1;
  state.files = state.files.map((file, at) => (at < from ? file : { ...file, to }));
}

const COMPOUND: Readonly<
  Record<Exclude<CommandNode["type"], "Command" | "Subshell" | "BraceGroup" | "For" | "If" | "While">, string>
> = {
  ArithmeticFor: "it uses a loop (for)",
  Select: "it uses a loop (select)",
  Case: "it uses case",
  Function: "it defines a function",
  Coproc: "it uses coproc",
  TestCommand: "it uses [[ ]], which can calculate",
  ArithmeticCommand: "it calculates with (( ))",
  Redirected: "it redirects several commands at once",
};

async function readCommand(node: CommandNode, state: State, how: CommandMode): Promise<void> {
  if (node.type === "Command") {
    await readSimpleCommand(node, state, how);
    return;
  }
  if (how.timed) markUnclear(state, "it times several commands at once");
  if (node.type === "Subshell") {
    await inSubshell(state, () => readGroup(node.body.commands, ["(", ")"], state));
    return;
  }
  if (node.type === "BraceGroup") {
    if (how.piped) await inSubshell(state, () => readGroup(node.body.commands, ["{", "}"], state));
    else await readOpenGroup(state, how, () => readGroup(node.body.commands, ["{", "}"], state));
    return;
  }
  if (node.type === "For") {
    if (how.piped) await inSubshell(state, () => readLoop(node, state));
    else await readOpenGroup(state, how, () => readLoop(node, state));
    return;
  }
  if (node.type === "If" || node.type === "While") {
    const work = (): Promise<void> =>
      node.type === "If" ? readIf(node, state, readList) : readWhile(node, state, readList);
    if (how.piped) await inSubshell(state, work);
    else await readOpenGroup(state, how, work);
    return;
  }
  markUnclear(
    state,
    Object.hasOwn(COMPOUND, node.type) ? COMPOUND[node.type] : "it uses a form that is not known",
  );
  state.expected = [];
  state.at = node.end;
}

/** Its changes remain if it ran. */
async function readOpenGroup(
  state: State,
  { chained }: CommandMode,
  work: () => Promise<void>,
): Promise<void> {
  const { cwd, variables, exported } = state;
  await work();
  if (!chained) return;
  if (state.exported !== exported) markUnclear(state, SKIPPED_EXPORT);
  if (state.cwd !== cwd) state.pendingCd = { ...state.pendingCd, slot: undefined };
  forgetChanged(state, variables);
}

async function readGroup(
  statements: readonly Statement[],
  [open, close]: readonly [string, string],
  state: State,
): Promise<void> {
  expectNext(state, open);
  state.shape.push(`${open} `);
  await readStatements(statements, state);
  expectNext(state, close);
  state.shape.push(close === ")" ? " )" : "\n", ...(close === ")" ? [] : [close]));
}

async function readLoop(node: For, state: State): Promise<void> {
  const { name, wordlist, body } = node;
  const first = body.commands[0];
  expectNext(state, "for");
  takeGap(state, name.pos);
  state.at = name.end;
  const words: string[] = [];
  const list: Fragment[] = [];
  let isUnknown = false;
  let why =
    isLineVariable(name.text) && /^\w+$/.test(name.text) ? undefined : `it sets a variable (${name.text})`;
  const isSet = state.context !== undefined && isInEnvironment(name.text, state);
  if (isSet || state.exported.has(name.text)) why = `it sets a variable (${name.text})`;
  if (wordlist === undefined || wordlist.length === 0) why ??= "it uses a loop (for) over nothing";
  for (const [index, item] of (wordlist ?? []).entries()) {
    if (index === 0) {
      expectNext(state, "in");
      takeGap(state, item.pos);
    } else takeSpace(state, item.pos);
    state.at = item.end;
    const read = await expandWord(item, state);
    state.at = item.end;
    if ("unclear" in read) why ??= read.unclear;
    else if (read.words.some(({ fill }) => fill?.some((piece) => typeof piece !== "string")))
      why ??= "it uses a loop (for) over what $( ) writes";
    else {
      words.push(...read.words.map(({ text }) => text));
      for (const { fill, text } of read.words) list.push(" ", ...(fill ?? [quoteWord(text)]));
      isUnknown ||= read.words.some(({ fill }) => fill !== undefined);
    }
  }
  if (why !== undefined || first === undefined || words.length === 0) {
    markUnclear(state, why ?? NOT_CERTAIN);
    state.expected = [];
    state.at = node.end;
    return;
  }
  expectNext(state, ";", "do");
  if (isUnknown) return readUnknownRounds(node, list, state);
  state.shape.push("{ ");
  for (const [round, word] of words.entries()) {
    if (round > 0) {
      state.at = first.pos;
      state.expected = [];
      state.shape.push("\n");
    }
    state.variables = new Map([...state.variables, [name.text, word]]);
    await readStatements(body.commands, state);
    if (isTooMuch(state)) break;
  }
  state.variables = new Map([...state.variables, [name.text, undefined]]);
  expectNext(state, "done");
  state.shape.push("\n", "}");
}

/** The shell sets the variable in each round, so the body is read once. Later rounds must not depend on what earlier ones change. */
async function readUnknownRounds(
  { name, body }: For,
  list: readonly Fragment[],
  state: State,
): Promise<void> {
  state.shape.push(`for ${name.text} in`, ...list, "; do", "\n");
  const { cwd } = state;
  const variables = new Map(state.variables);
  variables.delete(name.text);
  state.variables = variables;
  await readStatements(body.commands, state);
  if (state.cwd !== cwd || state.pendingCd !== undefined) markUnclear(state, "it uses cd in a loop (for)");
  if (state.variables !== variables) markUnclear(state, "it sets a variable in a loop (for)");
  state.unordered = "repeated";
  state.variables = new Map([...variables, [name.text, undefined]]);
  expectNext(state, "done");
  state.shape.push("\n", "done");
}

/** A subshell runs the script in `$( )`. */
async function readInside(command: CommandExpansionPart, state: State): Promise<readonly Fragment[]> {
  const { at, expected, shape, source, depth } = state;
  Object.assign(state, { at: command.pos + 2, expected: [], shape: [], depth: depth + 1 });
  const { script } = command;
  if (
    script === undefined ||
    source.charAt(command.end - 1) !== ")" ||
    !source.startsWith("$(", command.pos)
  ) {
    markUnclear(state, NOT_CERTAIN);
  } else if (script.commands.length === 0) markUnclear(state, "it uses $( ) with nothing in it");
  else {
    await inSubshell(state, () => readStatements(script.commands, state));
    takeEnd(state, command.end - 1);
  }
  const inside = state.shape;
  Object.assign(state, { at, expected, shape, depth });
  return inside;
}
