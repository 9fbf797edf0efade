import { compilePathPattern, type FileSystem, HaftError } from "@haft/plugin-sdk";
import { bomLength } from "../../content/encoding.ts";
import { getBaseName, childPath, getParentPath } from "../../paths/locate.ts";
import type { LineEnding } from "./file-text.ts";

export interface NewFileConventions {
  lineEnding?: LineEnding;
  finalNewline?: boolean;
  byteOrderMark?: boolean;
}

const MAX_CONFIG_BYTES = 64 * 1024;
const MAX_LEVELS = 32;

interface FolderRules {
  folder: string;
  sections: { glob: string; properties: ReadonlyMap<string, string> }[];
  /** `root = true`: configurations of parent folders do not apply. */
  isRoot: boolean;
  attributes: { glob: string; words: string[] }[];
}

/**
 * Reads `.editorconfig` (`end_of_line`, `insert_final_newline`, `charset`) and `.gitattributes` (`eol`) from a file's folder up to the
 * workspace's boundary, each folder once. Nearer files win, within a file later lines; `.editorconfig` wins over `.gitattributes`.
 */
export function createConventions(fs: FileSystem): (path: string) => Promise<NewFileConventions> {
  const folders = new Map<string, Promise<FolderRules | undefined>>();

  function rulesOf(folder: string): Promise<FolderRules | undefined> {
    let rules = folders.get(folder);
    if (rules === undefined) {
      rules = readFolder(fs, folder);
      folders.set(folder, rules);
    }
    return rules;
  }

  return async (path) => {
    const levels: FolderRules[] = [];
    let folder = getParentPath(path);
    for (let level = 0; folder !== undefined && level < MAX_LEVELS; level += 1) {
      const rules = await rulesOf(folder);
      if (rules === undefined) break;
      if (rules.sections.length > 0 || rules.attributes.length > 0 || rules.isRoot) levels.unshift(rules);
      folder = getParentPath(folder);
    }
    return levels.length === 0 ? {} : combine(levels, path);
  };
}

export function applyConventions(content: string, conventions: NewFileConventions): Buffer {
  const { lineEnding, finalNewline, byteOrderMark } = conventions;
  let text = content;
  if (text !== "" && finalNewline === true && !text.endsWith("\n")) text += "\n";
  if (finalNewline === false) text = withoutFinalNewlines(text);
  if (lineEnding !== undefined) text = text.replace(/\r\n|\n/g, lineEnding);
  const bytes = Buffer.from(text);
  if (byteOrderMark !== true || bytes.length === 0 || bomLength(bytes) > 0) return bytes;
  return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
}

function withoutFinalNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= text[end - 2] === "\r" ? 2 : 1;
  return text.slice(0, end);
}

async function readFolder(fs: FileSystem, folder: string): Promise<FolderRules | undefined> {
  const names = [".editorconfig", ".gitattributes"];
  const [editorConfig, gitAttributes = ""] = await Promise.all(
    names.map((name) => readSmall(fs, childPath(folder, name))),
  );
  if (editorConfig === undefined) return undefined;
  return { folder, ...parseEditorConfig(editorConfig), attributes: parseGitAttributes(gitAttributes) };
}

/** Returns an empty text for a missing or unreadable file, `undefined` outside of the workspace. */
async function readSmall(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    // Most folders have neither file, and an error takes longer than an answer.
    if ((await fs.stat(path)) === undefined) return "";
    const { bytes, stat } = await fs.read(path, { length: MAX_CONFIG_BYTES });
    return stat.size > MAX_CONFIG_BYTES ? "" : Buffer.from(bytes).toString("utf8");
  } catch (error) {
    return HaftError.is(error) && error.code === "OUTSIDE_WORKSPACE" ? undefined : "";
  }
}

function parseEditorConfig(text: string): Pick<FolderRules, "sections" | "isRoot"> {
  const sections: { glob: string; properties: Map<string, string> }[] = [];
  let isRoot = false;
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#") || trimmed.startsWith(";")) continue;
    const header = /^\[(.+)\]$/.exec(trimmed);
    if (header !== null) {
      sections.push({ glob: header[1] as string, properties: new Map() });
      continue;
    }
    const equals = trimmed.indexOf("=");
    if (equals <= 0) continue;
    const key = trimmed.slice(0, equals).trim().toLowerCase();
    const value = trimmed
      .slice(equals + 1)
      .trim()
      .toLowerCase();
    const section = sections.at(-1);
    if (section !== undefined) section.properties.set(key, value);
    else if (key === "root") isRoot = value === "true";
  }
  return { sections, isRoot };
}

function parseGitAttributes(text: string): FolderRules["attributes"] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [glob = "", ...words] = line.split(/\s+/);
      return { glob, words };
    });
}

function combine(levels: readonly FolderRules[], path: string): NewFileConventions {
  const matches = (glob: string, folder: string): boolean => {
    const pattern = compilePathPattern(asPattern(glob));
    const relative = path.slice(folder.length + (folder.endsWith("/") ? 0 : 1));
    return !("problem" in pattern) && pattern.matches(glob.includes("/") ? relative : getBaseName(path));
  };
  const result: NewFileConventions = {};
  for (const { folder, attributes } of levels) {
    for (const { glob, words } of attributes) if (matches(glob, folder)) applyAttributes(result, words);
  }
  const firstLevel = levels.findLastIndex(({ isRoot }) => isRoot);
  for (const { folder, sections } of levels.slice(Math.max(0, firstLevel))) {
    for (const { glob, properties } of sections)
      if (matches(glob, folder)) applyProperties(result, properties);
  }
  return result;
}

/** In .editorconfig, `**` crosses folders even within a name, and braces allow ranges. */
function asPattern(glob: string): string {
  return glob
    .replace(/^\//, "")
    .replace(/(^|\/)\*\*(?!\/|$)/g, "$1{,**/}*")
    .replace(/\{(\w)\.\.(\w)\}/g, "[$1-$2]");
}

function applyAttributes(result: NewFileConventions, words: readonly string[]): void {
  for (const word of words) {
    if (word === "eol=lf") result.lineEnding = "\n";
    else if (word === "eol=crlf") result.lineEnding = "\r\n";
    else if (word === "binary" || word === "-text" || word === "!eol") delete result.lineEnding;
  }
}

function applyProperties(result: NewFileConventions, properties: ReadonlyMap<string, string>): void {
  const endings: Record<string, LineEnding> = { lf: "\n", crlf: "\r\n", cr: "\r" };
  const ending = properties.get("end_of_line");
  if (ending !== undefined) {
    delete result.lineEnding;
    if (ending in endings) result.lineEnding = endings[ending] as LineEnding;
  }
  const final = properties.get("insert_final_newline");
  if (final === "true" || final === "false") result.finalNewline = final === "true";
  else if (final === "unset") delete result.finalNewline;
  const charset = properties.get("charset");
  if (charset !== undefined) result.byteOrderMark = charset === "utf-8-bom";
}
