import { createHost } from "../../host/host.ts";
import { firstSentence, optionLines, paragraphOf } from "../help/help-of.ts";
import type { Action, Command, Option } from "../usage.ts";

/** Characters of what stands beside a completion. */
const LONGEST = 70;

/** What may stand somewhere on a command line. */
export interface Completed {
  words: readonly string[];
  /** Names of files or folders, beside the words. */
  names?: "file" | "folder";
}

export interface CompletedOption extends Completed {
  /** Without the dashes. */
  option: string;
  /** One letter. */
  short?: string;
  /** A value follows. */
  hasValue: boolean;
  /** What it is for, in one line. */
  about: string;
}

/** A command, or one of its actions. */
export interface CompletedAction {
  name: string;
  about: string;
  options: readonly CompletedOption[];
  /** What stands behind it. */
  operands: Completed;
}

export interface CompletedCommand extends CompletedAction {
  /** Empty where it has none. */
  actions: readonly CompletedAction[];
}

/** What can be completed, from the tables that command lines are read with, and the texts that explain them. */
export async function completedCommands(
  commands: Readonly<Record<string, () => Promise<Command>>>,
): Promise<CompletedCommand[]> {
  const tools = await toolNames();
  const loaded = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => completedCommand(name, await load(), tools)),
  );
  const help: CompletedCommand = {
    name: "help",
    about: "Explains a command, or one of its actions.",
    options: [],
    operands: { words: [] },
    actions: loaded.map(({ name, about, actions }) => {
      return { name, about, options: [], operands: { words: actions.map((each) => each.name) } };
    }),
  };
  return [...loaded, help];
}

/** Those that every host has. */
async function toolNames(): Promise<readonly string[]> {
  const host = await createHost({ stateDir: false, administratorPolicy: false });
  await host.close();
  return host.catalogue.map(({ name }) => name);
}

function completedCommand(name: string, command: Command, tools: readonly string[]): CompletedCommand {
  const { help, options, actions = {} } = command;
  const abouts = new Map(optionLines(help).map((each) => [each.option, each.about]));
  const all = Object.entries(options).map(([option, facts]) =>
    completedOption(option, facts, abouts.get(option) ?? ""),
  );
  const lines = help.split("\n");
  return {
    name,
    about: firstSentence(lines),
    options: all,
    operands: operandsOf(command, tools),
    actions: Object.entries(actions).map(([action, shape]) => ({
      name: action,
      about: firstSentence(paragraphOf(lines, action)).replace(new RegExp(`^${action} +`), ""),
      options: all.filter(
        ({ option }) => shape.options === undefined || option === "help" || shape.options.includes(option),
      ),
      operands: operandsOf(shape, tools),
    })),
  };
}

function completedOption(
  option: string,
  { type, short, words, names, optional }: Option,
  about: string,
): CompletedOption {
  return {
    option,
    ...(short !== undefined && { short }),
    hasValue: type === "string" && optional === undefined,
    about: inShort(about),
    words: words ?? [],
    ...(names !== undefined && names !== "tool" && { names }),
  };
}

/** As much of what an option is for as fits beside it. */
function inShort(about: string): string {
  const plain = about
    .replace(/^with [a-z, -]+: /, "")
    .replaceAll(/ ?\([^)]*\)/g, "")
    .replace(/;.*/, "");
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1).trimEnd()}…` : plain;
}

function operandsOf(
  { words = [], names }: Pick<Action, "words" | "names">,
  tools: readonly string[],
): Completed {
  if (names === "tool") return { words: tools };
  return names === undefined ? { words } : { words, names };
}
