/** Describes a shell builtin: harmless, or able to affect later commands. */
export type Builtin = { harmless: true } | { unclear: string };

/** These change or control the shell. */
const CHANGING = new Set(
  (
    "alias autoload bg bind break builtin caller command compgen complete compopt continue coproc declare dirs disown enable " +
    "eval exec export fc fg getopts hash help history jobs let local logout mapfile newgrp noglob popd pushd read " +
    "readarray readonly return set setopt shift shopt source suspend times trap type typeset ulimit umask unalias unset " +
    "unsetopt wait whence zmodload ."
  ).split(" "),
);

const MAX_FORMAT = 1000;
const FORMAT_DIRECTIVE = /%(?:%|[-+ #0]*\d*(?:\.\d+)?[sdiouxXeEfgGcb])/g;
const NUMBER = /^[-+]?\d{1,18}$/;
const UNARY_TESTS = new Set("-b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z".split(" "));
const TEXT_TESTS = new Set(["=", "!=", "-nt", "-ot", "-ef"]);
const NUMBER_TESTS = new Set("-eq -ne -lt -le -gt -ge".split(" "));

/** Returns the facts about a builtin; `undefined` for a program. */
export function findBuiltin(argv: readonly string[]): Builtin | undefined {
  const [name = "", ...args] = argv;
  switch (name) {
    case ":":
    case "true":
    case "false":
    case "echo":
      return { harmless: true };
    case "set":
      return harmlessIf(isPlainSet(args), "this form of set, which changes how the shell reads");
    case "type":
      return harmlessIf(
        args.every((word) => !word.startsWith("-")),
        "type with options",
      );
    case "wait":
    case "jobs":
      return harmlessIf(args.length === 0, `${name} with arguments`);
    case "umask":
      return harmlessIf(args.length < 2 && /^[0-7]{0,4}$/.test(args[0] ?? ""), "umask with these arguments");
    case "ulimit":
      return harmlessIf(
        args.length < 2 && /^(?:-[a-zA-Z])?$/.test(args[0] ?? ""),
        "ulimit, which sets limits",
      );
    case "pwd":
      return harmlessIf(args.length === 0, "pwd with arguments");
    case "exit":
      return harmlessIf(args.length < 2 && /^\d{0,3}$/.test(args[0] ?? ""), "exit with these arguments");
    case "printf":
      return harmlessIf(isPlainFormat(args), "this form of printf, which can set variables or calculate");
    case "test":
      return harmlessIf(isPlainTest(args), "this form of test, which can calculate or look at variables");
    case "[":
      return harmlessIf(
        args.at(-1) === "]" && isPlainTest(args.slice(0, -1)),
        "this form of [ ], which can calculate",
      );
    case "cd":
      return harmlessIf(
        args.length === 1 && /^[^-]/.test(args[0] ?? ""),
        "cd with anything but one folder, so where it goes on is not certain",
      );
    default:
      return CHANGING.has(name) ? { unclear: `it uses ${name}, which acts on the shell itself` } : undefined;
  }
}

/** Options that end the shell earlier, or print its commands. */
function isPlainSet(args: readonly string[]): boolean {
  let isName = false;
  const isPlain = args.every((word) => {
    if (isName) {
      isName = false;
      return /^(?:errexit|nounset|xtrace|verbose|pipefail)$/.test(word);
    }
    isName = word.endsWith("o");
    return /^[-+][euxv]*o?$/.test(word) && word.length > 1;
  });
  return isPlain && !isName && args.length > 0;
}

function harmlessIf(isHarmless: boolean, what: string): Builtin {
  return isHarmless ? { harmless: true } : { unclear: `it uses ${what}` };
}

/** Accepts a format without variables, and no values that some shell would evaluate. */
function isPlainFormat([format, ...values]: readonly string[]): boolean {
  if (format === undefined || format.length > MAX_FORMAT || format.startsWith("-")) return false;
  if (format.replaceAll(FORMAT_DIRECTIVE, "").includes("%")) return false;
  return !/%[^%scb]*[dioufgx]/i.test(format) || values.every((value) => !/[[(`$]/.test(value));
}

/** Accepts tests of files, texts and whole numbers. Some shells evaluate the words of other tests. */
function isPlainTest(args: readonly string[]): boolean {
  const rest = args[0] === "!" ? args.slice(1) : args;
  const [first = "", second = "", third = ""] = rest;
  if (rest.length < 2) return true;
  if (rest.length === 2) return UNARY_TESTS.has(first);
  if (rest.length > 3) return false;
  return TEXT_TESTS.has(second) || (NUMBER_TESTS.has(second) && NUMBER.test(first) && NUMBER.test(third));
}
