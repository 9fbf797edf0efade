import { resolve } from "node:path/posix";
import type {
  Assignment,
  Command,
  CommandNode,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  Word,
} from "unbash";
import type { Join, OutlinedCommand, RedirectedFile } from "./outline.ts";
import { readRedirect } from "./read-redirect.ts";
import { readWord } from "./read-word.ts";
import { outlineCommand } from "./simple-command.ts";

/** What a tree was read as. The first reason to be unsure is kept, and reading goes on for what else is there. */
export interface ReadScript {
  commands: OutlinedCommand[];
  joins: Join[];
  files: RedirectedFile[];
  unclear?: string;
  /** See `CommandOutline.tied`. */
  tied?: true;
}

/** Where each read command begins and ends, and the folder in which the next one runs. */
interface State extends ReadScript {
  source: string;
  cwd: string;
  shell: string;
  /** End of what was accounted for. */
  at: number;
  /** Something was not read at all. */
  hasGap: boolean;
  /** A `cd` was read. */
  hasMoved: boolean;
}

/** How a command stands in its pipeline. */
interface How {
  /** Behind the word `time`, and whether that has the option `-p`. */
  timed: boolean;
  posix: boolean;
  piped: boolean;
}

/** More commands than anybody looks at. */
const MAX_COMMANDS = 1000;
const EITHER_WAY = "whether that worked or not (join them with &&)";
const NOT_CERTAIN = "a part of it cannot be read for certain";

/**
 * Reads a tree that may be wrong: every character of the source has to belong to a word, a redirect or an operator
 * that is known here, or to a comment or space between them.
 */
export function readScript(
  script: ParsedScript,
  source: string,
  where: { cwd: string; shell: string },
): ReadScript {
  const state: State = {
    commands: [],
    joins: [],
    files: [],
    source,
    ...where,
    at: 0,
    hasGap: false,
    hasMoved: false,
  };
  for (const [index, statement] of script.commands.entries()) {
    if (index > 0) state.joins.push(";");
    readStatement(statement, state);
    if (state.commands.length > MAX_COMMANDS) break;
  }
  if (state.commands.length > MAX_COMMANDS) doubt(state, `it contains more than ${MAX_COMMANDS} commands`);
  if (state.commands.length === 0 && state.unclear === undefined) doubt(state, "it contains no command");
  const rest = withoutComments(source.slice(state.at)).trim();
  if (rest !== "" && rest !== ";") doubt(state, NOT_CERTAIN);
  const { commands, joins, files, unclear, hasGap } = state;
  if (unclear === undefined) return { commands, joins, files };
  return { commands, joins, files, unclear, ...(!hasGap && { tied: true }) };
}

function doubt(state: State, reason: string): void {
  state.unclear ??= reason;
  state.hasGap = true;
}

function readStatement(statement: Statement, state: State): void {
  if (statement.background) doubt(state, "it leaves a command running in the background (&)");
  // What comes after `;` runs in one folder or the other, as the way there went.
  if (state.hasMoved) doubt(state, `it goes on after cd ${EITHER_WAY}`);
  const { command } = statement;
  if (command.type !== "AndOr") {
    readPipeline(command, state);
    return;
  }
  for (const [index, part] of command.commands.entries()) {
    const join = command.operators[index - 1];
    if (join !== undefined) state.joins.push(join);
    readPipeline(part, state);
    if (state.commands.length > MAX_COMMANDS) return;
  }
  // Both what comes before the way and what comes after it can be skipped.
  if (state.hasMoved && command.operators.includes("||")) doubt(state, `it uses cd beside || ${EITHER_WAY}`);
}

function readPipeline(node: Pipeline | CommandNode, state: State): void {
  if (node.type !== "Pipeline") {
    readCommand(node, state, { timed: false, posix: false, piped: false });
    return;
  }
  const timed = node.prefixes.length === 1 && node.prefixes[0]?.type === "Time" && node.commands.length === 1;
  const [prefix] = node.prefixes;
  if (prefix !== undefined && !timed)
    doubt(
      state,
      prefix.type === "Negation"
        ? "it uses !, which turns success around"
        : "it times several commands at once",
    );
  const posix = prefix?.type === "Time" && prefix.posix !== undefined;
  if (posix && state.shell === "bash") doubt(state, "it uses time -p");
  node.commands.forEach((command, index) => {
    const join = node.operators[index - 1];
    if (join === "|&") doubt(state, "it uses |&, which not every shell has");
    if (join !== undefined) state.joins.push("|");
    readCommand(command, state, { timed, posix, piped: node.commands.length > 1 });
  });
}

const COMPOUND: Readonly<Record<Exclude<CommandNode["type"], "Command">, string>> = {
  Subshell: "it uses a subshell ( )",
  BraceGroup: "it groups commands with { }",
  If: "it uses if",
  For: "it uses a loop (for)",
  ArithmeticFor: "it uses a loop (for)",
  While: "it uses a loop (while, until)",
  Select: "it uses a loop (select)",
  Case: "it uses case",
  Function: "it defines a function",
  Coproc: "it uses coproc",
  TestCommand: "it uses [[ ]], which can calculate",
  ArithmeticCommand: "it calculates with (( ))",
  Redirected: "it redirects several commands at once",
};

function readCommand(node: CommandNode, state: State, how: How): void {
  if (node.type !== "Command") {
    // A kind of node that is new to us is as unclear as any.
    doubt(
      state,
      Object.hasOwn(COMPOUND, node.type) ? COMPOUND[node.type] : "it uses a form that is not known",
    );
    state.at = node.end;
    return;
  }
  const { words, redirects, isComplete } = readWords(node, state, how);
  if (!isComplete) return;
  const { command, unclear, tied } = outlineCommand({
    words,
    redirects,
    cwd: state.cwd,
    timed: how.timed && state.shell === "bash",
  });
  state.commands.push(command);
  if (unclear !== undefined) {
    state.unclear ??= unclear;
    // What it reads from a pipe can be code.
    if (!tied || how.piped) state.hasGap = true;
  }
  if (command.name !== "cd" || !command.builtin) return;
  if (how.piped) doubt(state, "it uses cd in a pipeline");
  state.hasMoved = true;
  state.cwd = resolve(state.cwd, command.argv[1] ?? "");
}

/** All words of a command. Not complete when one of them is not certain. */
function readWords(node: Command, state: State, how: How) {
  const words: string[] = [];
  const redirects: string[] = [];
  let isComplete = node.name !== undefined;
  const fail = (reason: string): void => {
    isComplete = false;
    doubt(state, reason);
  };
  const items: (Word | Assignment | Redirection)[] = [
    ...node.prefix,
    ...(node.name ? [node.name] : []),
    ...node.suffix,
  ];
  if (how.timed && state.shell !== "bash") words.push("time", ...(how.posix ? ["-p"] : []));
  items.forEach((item, index) => {
    takeGap(state, item.pos, { isFirst: index === 0, timed: how.timed });
    state.at = item.end;
    const source = state.source.slice(item.pos, item.end);
    if (item.type === "Word") {
      const read = readWord(source);
      if ("unclear" in read) fail(read.unclear);
      else if (source !== item.text || read.value !== item.value) fail(NOT_CERTAIN);
      else words.push(read.value);
    } else if (item.type === "Assignment") {
      fail(`it sets a variable (${item.name})`);
    } else {
      const read = readRedirect(item, source, state.cwd);
      if (read.unclear !== undefined) doubt(state, read.unclear);
      if (read.file !== undefined) state.files.push(read.file);
      if (read.text !== undefined) redirects.push(read.text);
    }
  });
  if (node.name === undefined) doubt(state, "it contains a redirect without a command");
  return { words, redirects, isComplete };
}

/** Holds what lies between the last word and the next against what was read there. */
function takeGap(state: State, to: number, next: { isFirst: boolean; timed: boolean }): void {
  const gap = state.source.slice(state.at, to);
  if (!next.isFirst) {
    if (!/^[ \t]*$/.test(gap)) doubt(state, NOT_CERTAIN);
    return;
  }
  const plain = withoutComments(gap);
  const between = next.timed ? plain.replace(/(^|[\s;|&])time(?:[ \t]+-p)?[ \t]+$/, "$1") : plain;
  const join = state.commands.length === 0 && state.joins.length === 0 ? "" : state.joins.at(-1);
  const isRead =
    join === ""
      ? /^\s*$/.test(between)
      : join === ";"
        ? /^[ \t]*[;\n]\s*$/.test(between)
        : between.trim() === join;
  if (!isRead) doubt(state, NOT_CERTAIN);
}

/** The gap begins after a word, so `#` begins a comment only after space or an operator. */
function withoutComments(gap: string): string {
  return gap.replaceAll(/(^|[\s;|&])#[^\n]*/g, "$1");
}
