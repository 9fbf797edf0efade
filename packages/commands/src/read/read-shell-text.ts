import type { parse, Statement } from "unbash";
import type { Fragment, TemplateCommand } from "../command-template.ts";
import { baseName, isSystemName } from "../words/names.ts";
import { SHELLS } from "../words/shells.ts";
import { inSubshell, markUnclear, NOT_CERTAIN, type ShellText, type State } from "./state.ts";

const MAX_SHELLS = 8;
/** These keep the variables and add no words. */
const PLAIN_WRAPPERS = new Set(["nice", "timeout", "ionice", "stdbuf"]);

/** Finds the literal text of `sh -c 'npm test'`. */
export function findShellText(command: TemplateCommand): ShellText | undefined {
  const { argv, builtin, open, expanded, wrappers, through } = command;
  const name = argv[0] ?? "";
  const at = argv.length - 1;
  const text = argv[at] ?? "";
  const isLiteral = builtin !== true && open !== true && expanded !== true && !/^[-+]/.test(text);
  const isPlain =
    through.length === wrappers.length && through.every((wrapper) => PLAIN_WRAPPERS.has(baseName(wrapper)));
  // Some locales change the characters of the text.
  const isLocale = command.assignments.some((one) => /^(?:LANG|LC_)/.test(one.name));
  const options = argv.slice(1, at);
  const isCode =
    /^-[eux]*c$/.test(options.at(-1) ?? "") && options.slice(0, -1).every((word) => /^-[eux]+$/.test(word));
  const shell = baseName(name);
  if (!SHELLS.has(shell) || !isSystemName(name) || !isLiteral || isLocale || !isPlain || !isCode)
    return undefined;
  return { at, text, shell, assigned: command.assignments };
}

/** The shell of the text has exported variables only. */
export async function readShellText(
  { text, shell, assigned }: ShellText,
  state: State,
  read: {
    parse: typeof parse;
    statements: (list: readonly Statement[]) => Promise<void>;
    end: (to: number) => void;
  },
): Promise<readonly Fragment[]> {
  const { at, expected, shape, source, cut, shell: outer, shells } = state;
  if (shells >= MAX_SHELLS) markUnclear(state, "it has too many shells inside each other");
  Object.assign(state, { at: 0, expected: [], shape: [], source: text, cut: [], shell, shells: shells + 1 });
  await inSubshell(state, async () => {
    const { variables, exported } = state;
    const known = [...variables].map(
      ([name, value]) => [name, exported.has(name) ? value : undefined] as const,
    );
    state.variables = new Map([...known, ...assigned.map(({ name, value }) => [name, value] as const)]);
    state.exported = new Set([...exported, ...assigned.map(({ name }) => name)]);
    const script = read.parse(text);
    if ((script.errors?.length ?? 0) > 0 || script.commands.length === 0) markUnclear(state, NOT_CERTAIN);
    else if (shells < MAX_SHELLS) await read.statements(script.commands);
    read.end(text.length);
  });
  const inside = state.shape;
  Object.assign(state, { at, expected, shape, source, cut, shell: outer, shells });
  return [{ script: inside }];
}
