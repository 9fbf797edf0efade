import type {
  DirectoryEntry,
  FileIdentity,
  FileStat,
  ProcessInfo,
  SkippedFolders,
  WriteResult,
} from "@haft/core";
import type { AnswerChecks } from "./process-client.ts";
import type { OutputHead, ScanAnswer } from "./protocol.ts";

/** Copies only expected fields of a sandbox's answer. Throws for a wrong type or length. */
type Fields = Record<string, unknown>;

const MAX_TEXT = 64 * 1024;

export function textField(value: unknown, max = MAX_TEXT): string {
  if (typeof value !== "string" || value.length > max) throw wrong("a text");
  return value;
}

export function parseNumber(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong("a number");
  return value;
}

function oneOf<T extends string>(value: unknown, all: readonly T[]): T {
  if (!all.includes(value as T)) throw wrong(`one of ${all.join(", ")}`);
  return value as T;
}

export function parseFields(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw wrong("an object");
  return value as Fields;
}

export function parseList<T>(value: unknown, each: (one: unknown) => T): T[] {
  if (!Array.isArray(value)) throw wrong("a list");
  return value.map(each);
}

function present<K extends string, T>(fields: Fields, name: K, of: (value: unknown) => T): { [P in K]?: T } {
  const value = fields[name];
  return (value === undefined || value === null ? {} : { [name]: of(value) }) as { [P in K]?: T };
}

const ENDS = ["exit", "signal", "timeout", "killed"] as const;
const TYPES = ["file", "directory", "symlink", "other"] as const;

export function parseFileStat(value: unknown): FileStat {
  const { type, size, mode, mtimeMs, version, links, accessList } = parseFields(value);
  return {
    type: oneOf(type, TYPES),
    size: parseNumber(size),
    mode: parseNumber(mode),
    mtimeMs: parseNumber(mtimeMs),
    version: textField(version, 512),
    links: parseNumber(links),
    ...(typeof accessList === "boolean" && { accessList }),
  };
}

export function parseWriteResult(value: unknown): WriteResult {
  const { created, stat, verified, accessLost } = parseFields(value);
  return {
    created: created === true,
    stat: parseFileStat(stat),
    ...(verified === true ? { verified } : {}),
    ...(accessLost === true ? { accessLost } : {}),
  };
}

export function parseDirectoryEntry(value: unknown): DirectoryEntry {
  const { name, type } = parseFields(value);
  const text = textField(name, 1024);
  if (text === "" || text === "." || text === ".." || /[/\0]/.test(text)) throw wrong("a name");
  return { name: text, type: oneOf(type, TYPES) };
}

/** The paths are relative to the start of the scan. */
export function parseScanAnswer(value: unknown): ScanAnswer {
  const { entries, last, isLast, unreadable, overflow, tooDeep, ignored, links, scan } = parseFields(value);
  return {
    entries: parseList(entries, (one) => {
      const { path, type } = parseFields(one);
      return { path: relativePath(path), type: oneOf(type, TYPES) };
    }),
    ...(last !== undefined && { last: relativePath(last) }),
    isLast: isLast === true,
    unreadable: skippedFolders(unreadable),
    overflow: skippedFolders(overflow),
    tooDeep: skippedFolders(tooDeep),
    ignored: skippedFolders(ignored),
    links: skippedFolders(links),
    scan: parseNumber(scan),
  };
}

function relativePath(value: unknown): string {
  const path = textField(value);
  const isName = (name: string): boolean => name !== "" && name !== "." && name !== "..";
  if (path.includes("\0") || !path.split("/").every(isName)) throw wrong("a relative path");
  return path;
}

function skippedFolders(value: unknown): SkippedFolders {
  const { count, first } = parseFields(value);
  return { count: parseNumber(count), first: textField(first) };
}

function identityOf(value: unknown): FileIdentity {
  const fields = parseFields(value);
  return {
    path: textField(fields["path"]),
    realPath: textField(fields["realPath"]),
    version: textField(fields["version"], 512),
    ...(fields["isFolder"] === true ? { isFolder: true as const } : {}),
    ...present(fields, "sha256", (one) => textField(one, 64)),
    ...present(fields, "shebang", (one) => textField(one, 512)),
    ...(fields["isExecutable"] === true ? { isExecutable: true as const } : {}),
    ...present(fields, "content", (one) => textField(one)),
    ...present(fields, "copies", (all) => parseList(all, (one) => textField(one))),
  };
}

function infoOf(value: unknown): ProcessInfo {
  const fields = parseFields(value);
  const output = parseFields(fields["output"]);
  return {
    id: textField(fields["id"], 512),
    callerId: textField(fields["callerId"], 4096),
    pid: parseNumber(fields["pid"]),
    command: textField(fields["command"], 8192),
    cwd: textField(fields["cwd"]),
    startedAt: parseNumber(fields["startedAt"]),
    ...present(fields, "endedAt", parseNumber),
    state: oneOf(fields["state"], ["running", "exited"]),
    ...present(fields, "reason", (one) => oneOf(one, ENDS)),
    ...present(fields, "exitCode", parseNumber),
    ...present(fields, "signal", (one) => textField(one, 32)),
    ...present(fields, "outOfMemory", (one) => ({ limitMb: parseNumber(parseFields(one)["limitMb"]) })),
    ...present(fields, "ending", endingOf),
    ...present(fields, "unmarked", parseNumber),
    pty: fields["pty"] === true,
    stdin: oneOf(fields["stdin"], ["open", "closed"]),
    output: {
      stdout: parseNumber(output["stdout"]),
      stderr: parseNumber(output["stderr"]),
      total: parseNumber(output["total"]),
      dropped: parseNumber(output["dropped"]),
      ...present(output, "lastAt", parseNumber),
      ...present(output, "spoolPath", (one) => textField(one)),
      spooled: parseNumber(output["spooled"]),
    },
  };
}

function endingOf(value: unknown): NonNullable<ProcessInfo["ending"]> {
  const { by, left } = parseFields(value);
  return { by: oneOf(by, ["control-group", "marks"]), left: parseNumber(left) };
}

function outputOf(value: unknown, bytes: number): OutputHead {
  const fields = parseFields(value);
  const chunks = parseList(fields["chunks"], (one) => {
    const { stream, offset, length } = parseFields(one);
    return {
      stream: oneOf(stream, ["stdout", "stderr"]),
      offset: parseNumber(offset),
      length: parseNumber(length),
    };
  });
  if (
    chunks.some(({ length }) => length < 0) ||
    chunks.reduce((sum, { length }) => sum + length, 0) !== bytes
  )
    throw wrong("as many bytes as it says");
  return {
    chunks,
    next: parseNumber(fields["next"]),
    dropped: parseNumber(fields["dropped"]),
    total: parseNumber(fields["total"]),
    state: oneOf(fields["state"], ["running", "exited"]),
  };
}

export const PROCESS_CHECKS: AnswerChecks = {
  info: infoOf,
  output: outputOf,
  identity(value) {
    const { cwd, files } = parseFields(value);
    return {
      cwd: identityOf(cwd),
      files: parseList(files, (one) => (one === null || one === undefined ? null : identityOf(one))),
    };
  },
};

export class InvalidAnswerError extends Error {}

function wrong(expected: string): InvalidAnswerError {
  return new InvalidAnswerError(`it should have answered ${expected}`);
}
