import { opaque, type ProgramLauncher, type LauncherRule } from "./launcher.ts";
import { listFiles, moduleFiles, nodeEntries } from "./sources.ts";

interface Interpreter {
  names: string;
  /** These do not change which code runs. */
  plain: RegExp;
  /** The value is the next word. */
  withValue?: RegExp;
  /** Modules for `-m` whose arguments are not code. */
  modules?: RegExp;
  /** First operands that are not files. */
  notFiles?: RegExp;
  /** Returns the files for a word, in groups of which the first counts: `node app` runs app.js or app/index.js. */
  entries?: (word: string) => readonly (readonly string[])[];
}

/** Every unknown option makes these unclear. */
const INTERPRETERS: readonly Interpreter[] = [
  {
    names: "sh bash dash ash zsh ksh mksh pdksh yash rbash rksh lksh oksh posh hush bush",
    plain: /^(?:-[efnuvx]+|--norc|--noprofile|--posix)$/,
    withValue: /^[-+]o$/,
  },
  { names: "fish csh tcsh pwsh powershell cmd nu elvish xonsh ion rc es command.com", plain: /^(?!)$/ },
  {
    names: "node nodejs",
    plain:
      /^--(?:no-warnings|no-deprecation|enable-source-maps|experimental-strip-types|trace-(?:warnings|deprecation|uncaught)|check|max-old-space-size=\d+|stack-size=\d+|expose-gc)$/,
    notFiles: /^(?:inspect|-)$/,
    entries: nodeEntries,
  },
  {
    names: "tsx ts-node esno jiti swc-node babel-node",
    plain: /^(?!)$/,
    notFiles: /^(?:watch|-)$/,
    entries: nodeEntries,
  },
  {
    names: "python pythonw pypy ipython micropython graalpy",
    plain: /^-[bBEIOPqsSuv]+$/,
    modules:
      /^(?:pytest|unittest|venv|http\.server|json\.tool|compileall|py_compile|mypy|black|ruff|build|pip)$/,
    entries: (word) => [[`${word}/__main__.py`]],
  },
  { names: "perl", plain: /^-[wWtT]+$/ },
  { names: "ruby jruby truffleruby", plain: /^-[wW]$/ },
  { names: "php", plain: /^-(?:n|q)$/ },
  {
    names:
      "lua luajit luau tclsh wish expect guile racket sbcl clisp ecl gosh chicken csi chez scheme mit-scheme gsi " +
      "groovy scala kotlin kotlinc java jshell clojure clj bb joker erl escript elixir iex ghci runghc runhaskell " +
      "stack ocaml swift r rscript julia octave gnuplot m4 irb pry psysh hy janet red rebol nim crystal " +
      "raku rakudo moar gjs seed qjs qjs-debug d8 jsc rhino nashorn txiki txikijs llrt hermes v8 gst pike icon unicon " +
      "dotnet-script csharp csi mono fsi fsharpi vlang zx",
    plain: /^(?!)$/,
  },
];

const BY_NAME = new Map(
  INTERPRETERS.flatMap((interpreter) =>
    interpreter.names.split(" ").map((name) => [name, interpreter] as const),
  ),
);
const ABOUT = /^(?:--version|--help|-V|-v|-h)$/;

export const interpreter: LauncherRule = (name, args) => {
  const rule = BY_NAME.get(name);
  if (rule === undefined) return undefined;
  const reason = `${name} runs any code it is given`;
  const [first] = args;
  if (first !== undefined && args.length === 1 && ABOUT.test(first)) return { reason };
  const launcher = readOperand(name, rule, args, reason);
  const words = launcher.scripts ?? listFiles(args);
  const sources = [
    ...words.flatMap((word) => rule.entries?.(word) ?? []),
    ...(rule.modules === undefined ? [] : moduleFiles(args)),
  ];
  return sources.length === 0 ? launcher : { ...launcher, sources };
};

function readOperand(
  name: string,
  rule: Interpreter,
  args: readonly string[],
  reason: string,
): ProgramLauncher {
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (rule.withValue?.test(word)) at += 1;
    else if (word === "-m" && rule.modules?.test(args[at + 1] ?? "")) return { reason };
    else if (/^[-+]/.test(word) && rule.plain.test(word)) continue;
    else if (/^[-+]/.test(word) || word === "")
      return opaque(reason, `${name} with ${word || "an empty word"} can run any code`);
    else if (rule.notFiles?.test(word)) return opaque(reason, `${name} ${word} can run any code`);
    else return { reason, scripts: [word] };
  }
  return opaque(reason, `${name} runs the code it reads`);
}
