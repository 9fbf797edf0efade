import { attempt } from "@haft/system";
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expandPaths, resolveWordPaths, type ScriptContext, showBlanks } from "./expand-paths.ts";

export interface NamedPath {
  path: string;
  isStarted: boolean;
  /** All files of this folder count, because the script chooses them at run time. */
  isFolder: boolean;
  /** A program may load another file by this name: with an extension, or in this folder. */
  isModule: boolean;
}

const LONGEST_WORD = 4096;
const MOST_WORDS = 20_000;
const MOST_FOLDERS = 16;
const MOST_ROUNDS = 12;
const TOKEN = /\n|&&|\|\||[;|&()]|\$\{[^}\n]*\}|[A-Za-z_]\w*\+?=|[^\s;|&()"'<>=,[\]{}]+|[{}]/g;
const SEPARATOR = /^(?:\n|&&|\|\||[;|&({]|then|do|else|elif|if|while|until|!|time|-)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** These programs run the file in the next word. */
const INTERPRETER =
  /^(?:.*\/)?(?:\.|source|(?:ba|da|z|k)?sh|fish|node|deno|bun|python[\d.]*|ruby|perl|php|lua|pwsh|tsx|ts-node|run-parts)$/;
/** These programs start the program or script in the next word. */
const STARTER = /^(?:.*\/)?(?:exec|env|command|eval|sudo|nice|xargs|timeout|nohup|setsid|make|run:|entry:)$/;
const PYTHON = /(?:^|\/)python[\d.]*$/;
const CHANGES_FOLDER =
  /(?:\b(?:cd|pushd|chdir)|\broot:)[ \t("']+(?:-[A-Z]\s+)?(?:--\s+)?["']?([^\s"'`;|&()$]+)/g;

const PACKAGE_STARTER = /^(?:.*\/)?(?:node|bun|tsx|ts-node|python[\d.]*)$/;

const AS_MODULE = "-m";

interface Position {
  /** The preceding program: "" at the start of a command, `undefined` for an argument. */
  starter: string | undefined;
  context: ScriptContext;
}

/** False matches are harmless, because only programs count. */
export function namedPaths(text: string, from: ScriptContext): { paths: NamedPath[]; folders: string[] } {
  const commands = takeOutSubstitutions(expandPaths(withoutComments(text), from));
  const folders = foldersOf(commands, from);
  const context = { ...from, folders };
  const paths = pathsWithBlanks(commands, context);
  let starter: string | undefined = "";
  let before = "";
  let words = 0;
  for (const token of joinedTokens(commands)) {
    if (++words > MOST_WORDS) break;
    if (SEPARATOR.test(token)) {
      starter = "";
      continue;
    }
    if (token.length <= LONGEST_WORD) paths.push(...pathsOfWord(showBlanks(token), { starter, context }));
    if (ASSIGNMENT.test(token)) continue;
    const isNamed = token === "." ? starter !== undefined : INTERPRETER.test(token) || STARTER.test(token);
    if (isNamed) starter = token;
    else if (token === AS_MODULE && PYTHON.test(starter ?? "")) starter = AS_MODULE;
    else if (starter === "" || starter === AS_MODULE || !isBetween(token, before)) starter = undefined;
    before = token;
  }
  return { paths, folders };
}

function isBetween(word: string, before: string): boolean {
  return /^(?:-.*|[\d.]+[smhd]?)$/.test(word) || (/^-\w$/.test(before) && !word.includes("/"));
}

function takeOutSubstitutions(text: string): string {
  let [rest, taken] = [text, ""];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = rest.replaceAll(
      /\$\(([^()]*)\)|\$\{\w+:?[-=+]([^{}]*)\}/g,
      (_, commands: string | undefined, value: string | undefined) => {
        taken += `\n${commands ?? value}`;
        return "${_}";
      },
    );
    if (next === rest) break;
    rest = next;
  }
  return `${rest}${taken}`.replaceAll("`", "\n");
}

function foldersOf(text: string, { cwd, folders = [] }: ScriptContext): string[] {
  const found = new Set(folders);
  for (const [, word = ""] of text.matchAll(CHANGES_FOLDER))
    for (const folder of [cwd, ...found]) {
      const path = resolve(folder, showBlanks(word));
      const isCounted = folder === cwd || attempt(() => statSync(path).isDirectory()) === true;
      if (isCounted && path !== cwd && found.size < MOST_FOLDERS) found.add(path);
    }
  return [...found];
}

function* joinedTokens(text: string): Iterable<string> {
  let word = "";
  let end = -1;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const isWord = !/^(?:\n|&&|\|\||[;|&(){}])$/.test(token);
    const touches = end >= 0 && /^["']*$/.test(text.slice(end, match.index));
    if (word !== "" && !(isWord && touches)) {
      yield word;
      word = "";
    }
    if (isWord) word += token;
    else yield token;
    end = isWord ? match.index + token.length : -1;
  }
  if (word !== "") yield word;
}

function withoutComments(text: string): string {
  return text
    .replaceAll(/^[ \t]*#(?!!).*$/gm, "")
    .replaceAll(/\\\n/g, " ")
    .replace(/^#!/, "");
}

function pathsWithBlanks(text: string, context: ScriptContext): NamedPath[] {
  const quoted = [...text.matchAll(/(["'])([./$][^"'\n;|&]*[ \t][^"'\n;|&]*)\1/g)].slice(0, MOST_WORDS);
  return quoted.flatMap(([, , word = ""]) => pathsOfWord(showBlanks(word), { starter: "", context }));
}

function pathsOfWord(word: string, { starter, context }: Position): NamedPath[] {
  if (ASSIGNMENT.test(word)) {
    const value = word.replace(ASSIGNMENT, "");
    if (!/^PATH\+?=/.test(word)) return pathsOfWord(value, { starter: undefined, context });
    return value.split(":").flatMap((folder) => (folder === "" ? [] : folderOf(folder, context)));
  }
  const isStarted = starter !== undefined;
  const known = withoutUnknown(word);
  if (known === "") return [];
  const dynamic = known.search(/[$*?]/);
  if (dynamic >= 0) {
    const folder = /^.*\//.exec(known.slice(0, dynamic))?.[0];
    if (folder === undefined) return [];
    return resolveWordPaths(folder, context).map((path) => ({
      path,
      isStarted,
      isFolder: true,
      isModule: false,
    }));
  }
  const plain = known.replace(/[:,]+$/, "");
  // `node .` starts the main file of the folder's package.json.
  if (plain === "." && PACKAGE_STARTER.test(starter ?? ""))
    return [context.cwd, ...(context.folders ?? [])].map((path) => ({
      path,
      isStarted: true,
      isFolder: false,
      isModule: true,
    }));
  if (plain === "" || plain === "." || plain === ".." || plain.startsWith("-")) return [];
  if (isStarted && /(?:^|\/)run-parts$/.test(starter)) return folderOf(plain, context);
  const isFile = isStarted && INTERPRETER.test(starter);
  const isPython = starter === AS_MODULE && /^[\w.]+$/.test(plain);
  const isModule = isFile || isPython || plain.startsWith("./") || plain.startsWith("../");
  return resolveWordPaths(isPython ? plain.replaceAll(".", "/") : plain, context).map((path) => ({
    path,
    isStarted: isStarted && (isFile || plain.includes("/")),
    isFolder: false,
    isModule: isModule && !/\.\w+$/.test(path),
  }));
}

function folderOf(word: string, context: ScriptContext): NamedPath[] {
  const known = withoutUnknown(word);
  if (known === "" || known.includes("$")) return [];
  return resolveWordPaths(known, context).map((path) => ({
    path,
    isStarted: true,
    isFolder: true,
    isModule: false,
  }));
}

/** Unknown variables may name any folder of a session. */
function withoutUnknown(word: string): string {
  return word.replace(/^(?:(?:\$\{[^}]*\}|\$\w+)+\/+)+/, "");
}

export function isHooksFolder(path: string): boolean {
  return /hook|\.d\/?$/i.test(path.slice(dirname(path).length));
}
