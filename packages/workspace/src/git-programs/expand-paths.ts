import { basename, dirname, join, resolve } from "node:path";

export interface ScriptContext {
  /** The value of `$0`. This script may have sourced the current file. */
  started: string;
  file: string;
  cwd: string;
  common: string;
  folders?: readonly string[];
}

const MOST_ROUNDS = 12;
/** Replaces a blank, so that an expanded path remains one word. */
const BLANK = "\u0001";
const ARGUMENT = String.raw`["']?([^"'()$\`\s;&|]+)["']?`;

const SUBSTITUTIONS: readonly (readonly [RegExp, (argument: string, context: ScriptContext) => string])[] = [
  [substitution(String.raw`dirname\s+(?:--\s+)?${ARGUMENT}`), (argument) => dirname(argument)],
  [substitution(String.raw`basename\s+(?:--\s+)?${ARGUMENT}`), (argument) => basename(argument)],
  [substitution(String.raw`(?:realpath|readlink\s+-[a-z]+)\s+(?:--\s+)?${ARGUMENT}`), (argument) => argument],
  [
    substitution(
      String.raw`(?:CDPATH=\s*)?cd\s+(?:-[A-Z]\s+)?(?:--\s+)?${ARGUMENT}[^()]*?(?:&&|;)\s*pwd[^()]*`,
    ),
    (argument, { cwd }) => resolve(cwd, argument),
  ],
  [substitution(String.raw`(git\s+rev-parse\s+--show-toplevel)[^()]*`), (_, { cwd }) => cwd],
  [
    substitution(String.raw`(git\s+rev-parse\s+(?:--absolute-git-dir|--git-dir|--git-common-dir))[^()]*`),
    (_, { common }) => common,
  ],
  [substitution(String.raw`(pwd)(?:\s+-[LP])?`), (_, { cwd }) => cwd],
];

function substitution(body: string): RegExp {
  return new RegExp(String.raw`\$\(\s*${body}\s*\)`, "g");
}

export function expandPaths(text: string, context: ScriptContext): string {
  const started = hideBlanks(context.started);
  const file = hideBlanks(context.file);
  const hidden: ScriptContext = {
    started,
    file,
    cwd: hideBlanks(context.cwd),
    common: hideBlanks(context.common),
  };
  let expanded = text
    .replaceAll(/`([^`\n]*)`/g, "$($1)")
    .replaceAll(/\$\{0%\/\*\}/g, () => dirname(started))
    .replaceAll(/\$\{BASH_SOURCE(?:\[0\])?%\/\*\}/g, () => dirname(file))
    .replaceAll(/\$\{0(?:##\*\/)\}/g, () => basename(started))
    .replaceAll(/\$0\b|\$\{0\}/g, () => started)
    .replaceAll(/\$\{BASH_SOURCE(?:\[0\])?(?::-[^}]*)?\}|\$BASH_SOURCE\b/g, () => file)
    .replaceAll(/\$PWD\b|\$\{PWD\}/g, () => hidden.cwd)
    .replaceAll(/\$GIT_DIR\b|\$\{GIT_DIR\}/g, () => hidden.common);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = fillVariables(fillSubstitutions(expanded, hidden));
    if (next === expanded) break;
    expanded = next;
  }
  return expanded;
}

function fillSubstitutions(text: string, context: ScriptContext): string {
  let filled = text;
  for (const [pattern, value] of SUBSTITUTIONS)
    filled = filled.replaceAll(pattern, (_, argument: string) => value(argument, context));
  return filled;
}

function fillVariables(text: string): string {
  const values = new Map<string, string>();
  const assignments = text.matchAll(
    /^[ \t]*(?:(?:export|local|readonly|declare)[ \t]+)?([A-Za-z_]\w*)=(?:"([^"$`\n]*)"|'([^'\n]*)'|([^\s"'$`;&|()]+))/gm,
  );
  for (const [, name = "", ...quoted] of assignments) {
    const value = quoted.find((one) => one !== undefined) ?? "";
    if (value !== "") values.set(name, value.replaceAll(/\s/g, BLANK));
  }
  if (values.size === 0) return text;
  return text.replaceAll(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (whole, braced?: string, bare?: string) => values.get(braced ?? bare ?? "") ?? whole,
  );
}

function hideBlanks(path: string): string {
  return path.replaceAll(/\s/g, BLANK);
}

export function showBlanks(word: string): string {
  return word.replaceAll(BLANK, " ");
}

export function resolveWordPaths(
  word: string,
  { started, file, cwd, folders = [] }: ScriptContext,
): string[] {
  if (word.startsWith("/")) return [join(word)];
  const from = [cwd, dirname(started), dirname(file), ...folders];
  return [...new Set(from.map((folder) => resolve(folder, word)))];
}
