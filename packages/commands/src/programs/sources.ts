import { posix } from "node:path";
import { locateFile } from "../words/names.ts";
import { type BuildFiles, findBuildFiles } from "./build-files.ts";
import type { ProgramLauncher } from "./launcher.ts";

const FOLDER = /^(?:-C|--directory|--prefix|--cwd|--dir|--working-directory|--project)$/;
const MAX_UP = 40;

/**
 * Returns absolute paths, from its kind and its arguments. In each group the first existing file counts, so earlier files must stay absent.
 */
export function listSources(argv: readonly string[], cwd: string, launcher: ProgramLauncher): string[][] {
  const args = argv.slice(1);
  const listed = (launcher.sources ?? []).map((group) => group.map((file) => locateFile(file, cwd)));
  // A command after an unknown wrapper is found by its name.
  const names =
    launcher.unclear === undefined ? argv.filter((_, at) => at === 0 || argv[at - 1] === "-m") : argv;
  const kinds = new Set(names.flatMap((name) => findBuildFiles(name) ?? []));
  const folders = [cwd, ...foldersIn(args).map((folder) => locateFile(folder, cwd))];
  const words = launcher.unclear === undefined ? wordsOfKinds(kinds, args) : listFiles(args);
  const groups = folders.flatMap((folder) => [
    ...[...kinds].flatMap(({ files, searchesParents }) =>
      files.map((group) => lookedFor(group, folder, searchesParents === true)),
    ),
    ...words.map((word) => [locateFile(word, folder)]),
  ]);
  return [...listed, ...groups];
}

function wordsOfKinds(kinds: ReadonlySet<BuildFiles>, args: readonly string[]): string[] {
  if (kinds.size === 0) return [];
  const hasTargets = [...kinds].every(({ takesTargets }) => takesTargets === true);
  const isOption = (word = ""): boolean => word.startsWith("-");
  return listFiles(hasTargets ? args.filter((word, at) => isOption(word) || isOption(args[at - 1])) : args);
}

function lookedFor(group: string, folder: string, up: boolean): string[] {
  const names = group.split(" ");
  const folders = [folder];
  if (up) {
    for (let at = folder; at !== "/" && folders.length < MAX_UP;) folders.push((at = posix.dirname(at)));
  }
  return folders.flatMap((one) => names.map((name) => posix.join(one, name)));
}

function foldersIn(args: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    if (FOLDER.test(word)) return args[at + 1] ?? [];
    const [, option = "", value] = /^(-C|--[\w-]+=?)(.+)$/.exec(word) ?? [];
    return value !== undefined && FOLDER.test(option.replace("=", "")) ? value : [];
  });
}

/** Returns words that may be files, also after `=` and `@`, and as values attached to a letter. */
export function listFiles(args: readonly string[]): string[] {
  return args
    .flatMap((word) => [
      ...(word.startsWith("-") ? [] : [word.replace(/^@/, "")]),
      ...(/^[^=]+=(.+)$/.exec(word)?.slice(1) ?? []),
      ...(/^-[a-zA-Z@]([^=-].*)$/.exec(word)?.slice(1) ?? []),
    ])
    .filter((word) => word !== "" && word.length <= 4096 && !word.includes("\n"));
}

export function nodeEntries(word: string): string[][] {
  const files = [word, ...[".js", ".json", ".node"].map((ending) => word + ending)];
  return [
    [...files, `${word}/package.json`],
    [...files, `${word}/index.js`, `${word}/index.json`, `${word}/index.node`],
  ];
}

/** Returns files that take precedence over installed modules: `-m json.tool` runs a json.py first. */
export function moduleFiles(args: readonly string[]): string[][] {
  const at = args.findIndex((word) => /^-[a-zA-Z]*m/.test(word));
  const name = args[at]?.replace(/^-[a-zA-Z]*?m/, "") || args[at + 1];
  if (at < 0 || name === undefined || !/^[\w.]{1,255}$/.test(name)) return [];
  const parts = name.split(".");
  const files = parts.flatMap((_, end) => {
    const path = parts.slice(0, end + 1).join("/");
    return [`${path}.py`, `${path}/__init__.py`];
  });
  return [...files, `${parts.join("/")}/__main__.py`].map((file) => [file]);
}
