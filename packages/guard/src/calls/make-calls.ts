import { asRecord } from "@haft/utils";
import { resolve } from "node:path";
import type { GuardCall } from "../contract/payload.ts";
import { findText, findTexts } from "./fields.ts";
import { findUrls } from "./find-urls.ts";
import { readPath } from "./path-readings.ts";

export type FileTool = Extract<GuardCall, { kind: "files" }>["tool"];

/** Includes patches: a here-document for `apply_patch` changes files. */
export function commandCalls(text: string, cwd: string, shell = "bash"): GuardCall[] {
  const command: GuardCall = { kind: "command", text, cwd, shell };
  if (!hasPatch(text)) return [command];
  // The line may change its folder first.
  const folders = [
    cwd,
    ...[...text.matchAll(CD)].map(([, one, other, bare]) => resolve(cwd, one ?? other ?? bare!)),
  ];
  const paths = folders.flatMap((folder) => readPaths(patchPaths(text), folder));
  return [command, { kind: "files", tool: "apply_patch", paths: [...new Set(paths)] }];
}

const CD =
  /(?:^|[\n;&|(]|\bthen\b|\bdo\b)\s*(?:cd|pushd)\s+(?:--\s+)?(?:"([^"$`]+)"|'([^']+)'|([^\s;&|"'$`]+))/g;

export function patchCalls(text: string, cwd: string): GuardCall[] {
  return [{ kind: "files", tool: "apply_patch", paths: readPaths(patchPaths(text), cwd) }];
}

export function fileCall(
  tool: FileTool,
  args: unknown,
  cwd: string,
  names: readonly string[],
  fallback?: string,
): GuardCall {
  const found = findTexts(asRecord(args), ...names);
  const paths = found.length === 0 && fallback !== undefined ? [fallback] : found;
  const recursive = tool === "find" || tool === "grep" ? { recursive: true as const } : {};
  return { kind: "files", tool, paths: readPaths(paths, cwd), ...recursive };
}

function readPaths(paths: readonly string[], cwd: string): string[] {
  return [...new Set(paths.flatMap((path) => readPath(path, cwd)))];
}

export function fetchCall(args: unknown): GuardCall {
  const members = asRecord(args);
  const urls = findTexts(members, "url", "urls");
  return { kind: "fetch", urls: urls.length > 0 ? urls : findUrls(findText(members, "prompt") ?? "") };
}

/** If `separator` occurs more than once, most results are guesses. */
export function mcpCalls(name: string, separator: string, args: unknown): GuardCall[] {
  const splits: number[] = [];
  for (
    let at = name.indexOf(separator);
    at >= 0 && splits.length < MAX_SPLITS;
    at = name.indexOf(separator, at + 1)
  )
    splits.push(at);
  return splits
    .map((at) => ({ server: name.slice(0, at), tool: name.slice(at + separator.length) }))
    .filter(({ server, tool }) => server !== "" && tool !== "")
    .map((named) => ({ kind: "mcp", ...named, args, ...(splits.length > 1 && { guessed: true as const }) }));
}

const MAX_SPLITS = 12;

/** Rules about files and hosts in the arguments can deny the call but not allow it. */
export function unknownCalls(name: string, args: unknown, cwd: string): GuardCall[] {
  const members = asRecord(args);
  const command = findText(members, "command", "cmd", "script");
  const paths = findTexts(members, "file_path", "filePath", "notebook_path", "path", "filename", "file");
  const urls = findTexts(members, "url", "uri");
  return [
    { kind: "unknown", name, args },
    ...(command === undefined ? [] : commandCalls(command, cwd)),
    ...(paths.length === 0
      ? []
      : [{ kind: "files" as const, tool: "write" as const, paths: readPaths(paths, cwd) }]),
    ...(urls.length === 0 ? [] : [{ kind: "fetch" as const, urls }]),
  ];
}

/** Includes all spellings of a patch header. */
const HEADER = /^\s*\*{3}\s+(?:\w+\s+)?(?:File|Move to|to)\s*:\s*(.+?)\s*$/i;
const BEGIN = /^\s*\*{3}\s+Begin Patch/m;
const DIFF = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/;

function hasPatch(text: string): boolean {
  return BEGIN.test(text);
}

function patchPaths(text: string): string[] {
  const found = new Set<string>();
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    if (BEGIN.test(line)) inside = true;
    else if (/^\s*\*{3}\s+End Patch/.test(line)) inside = false;
    const header = HEADER.exec(line)?.[1];
    if (header !== undefined) for (const path of header.split(/\s+->\s+/)) found.add(path);
    const diff = inside ? undefined : DIFF.exec(line)?.[1];
    if (diff !== undefined && diff !== "/dev/null" && line.length < 4096) found.add(diff.trim());
  }
  return [...found];
}
