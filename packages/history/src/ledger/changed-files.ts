import type { CallRecord } from "@haft/core/kernel";
import { isObject } from "@haft/utils";
import { isHead } from "./result-text.ts";

export interface ChangedFile {
  path: string;
  kind?: string;
  /** Lines start with `+`, `-` or a space, hunk headers with `@@`. */
  diff?: string;
  /** Set if only the request is recorded, without previous content. */
  asAsked?: true;
}

/**
 * Returns the files that a file tool's successful call changed, from its recorded result, else from its
 * arguments.
 *
 * @example
 * ```ts
 * import type { CallRecord } from "@haft/core/kernel";
 * import { changedFiles } from "@haft/history/ledger";
 * declare const call: CallRecord;
 * for (const { path, diff } of changedFiles(call)) console.log(path, diff ?? "");
 * ```
 */
export function changedFiles({ outcome, args, result, toolName }: CallRecord): ChangedFile[] {
  if (outcome !== "ok") return [];
  const details = result === undefined || isHead(result) ? undefined : record(result.details);
  if (details !== undefined) return fromDetails(details);
  return fromArguments(toolName, record(args));
}

function fromDetails(details: Members): ChangedFile[] {
  const { files } = details;
  if (Array.isArray(files)) return files.flatMap((file) => fromFile(record(file)));
  return details["changed"] === true ? fromFile(details) : [];
}

function fromFile(file: Members | undefined): ChangedFile[] {
  const path = file?.["path"];
  if (file === undefined || typeof path !== "string" || file["kind"] === "unchanged") return [];
  const { diff, kind, created } = file;
  return [
    {
      path,
      kind: typeof kind === "string" ? kind : created === true ? "added" : "modified",
      ...(typeof diff === "string" && { diff }),
    },
  ];
}

function fromArguments(toolName: string, args: Members | undefined): ChangedFile[] {
  const { path, content, edits, input } = args ?? {};
  if (toolName === "apply_patch" && typeof input === "string") return fromPatch(input);
  if (typeof path !== "string") return [];
  if (toolName === "write" && typeof content === "string")
    return [{ path, diff: lines("+", content), asAsked: true }];
  if (toolName !== "edit") return [];
  const hunks = (Array.isArray(edits) ? edits : [args]).map((edit) => {
    const { oldText, newText } = record(edit) ?? {};
    if (typeof oldText !== "string" || typeof newText !== "string") return "";
    return `@@\n${lines("-", oldText)}\n${lines("+", newText)}`;
  });
  return [{ path, diff: hunks.filter((hunk) => hunk !== "").join("\n"), asAsked: true }];
}

const FILE_OF_PATCH = /^\*\*\* (Add|Update|Modify|Delete) File: (.+)$/;
const KINDS: Readonly<Record<string, string>> = { Add: "added", Delete: "deleted" };

function fromPatch(input: string): ChangedFile[] {
  const files: { path: string; kind: string; lines: string[] }[] = [];
  for (const line of input.split("\n")) {
    const [, word = "", path] = FILE_OF_PATCH.exec(line) ?? [];
    if (path !== undefined) files.push({ path, kind: KINDS[word] ?? "modified", lines: [] });
    else if (/^(?:[-+ ]|@@)/.test(line)) files.at(-1)?.lines.push(line);
  }
  return files.map(({ path, kind, lines: diff }) => ({
    path,
    kind,
    ...(diff.length > 0 && { diff: diff.join("\n") }),
    asAsked: true,
  }));
}

type Members = Readonly<Record<string, unknown>>;

function record(value: unknown): Members | undefined {
  return isObject(value) ? value : undefined;
}

function lines(mark: string, text: string): string {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`)
    .join("\n");
}
