import type { HaftError, ToolContext, Workspace } from "@haft/plugin-sdk";
import { posix } from "node:path";
import { decodeForReading } from "../content/codecs.ts";
import { fileToolError } from "../errors.ts";
import type { FileChange } from "./plan/change-report.ts";
import type { PlannedFile } from "./plan/planned-tree.ts";
import { contentHash } from "./text/content-hash.ts";
import { lineRegions } from "./text/line-regions.ts";
import { spliceBetween } from "./text/splice.ts";
import { unifiedDiff } from "./text/unified-diff.ts";

const MAX_SESSIONS = 100;
const MAX_FILES = 200;
const MAX_TEXT = 128 * 1024;
/** Limits the characters of all texts. Without its text, a refusal asks for another read. */
const MAX_TEXTS = 8 * 1024 * 1024;
const MAX_DIFF = 8 * 1024;

/** Contains the version of a file that a session has seen as a whole. */
interface Shown {
  hash: string;
  text: string | undefined;
}

interface FileCallContext {
  id?: string | undefined;
  context: Partial<ToolContext>;
  workspace: Workspace;
}

interface Memory {
  sessions: Map<string, Map<string, Shown>>;
  /** Contains the versions with a text, oldest first. */
  texts: Set<Shown>;
  characters: number;
}

/** A global symbol shares the memory between copies of this package. */
const SHOWN = Symbol.for("haft.shown-versions");

function getMemory(): Memory {
  const holder = globalThis as { [SHOWN]?: Memory };
  return (holder[SHOWN] ??= { sessions: new Map(), texts: new Set(), characters: 0 });
}

function keepText(shown: Shown): void {
  const all = getMemory();
  all.texts.add(shown);
  all.characters += shown.text?.length ?? 0;
  for (const oldest of all.texts) {
    if (all.characters <= MAX_TEXTS) return;
    all.texts.delete(oldest);
    all.characters -= oldest.text?.length ?? 0;
    oldest.text = undefined;
  }
}

function getShownFiles({
  context: { sessionKey, agentId, runId },
}: FileCallContext): Map<string, Shown> | undefined {
  if (sessionKey === undefined || agentId === undefined) return undefined;
  const key = JSON.stringify([sessionKey, agentId, runId]);
  const { sessions } = getMemory();
  const files = sessions.get(key) ?? new Map<string, Shown>();
  putLast(sessions, key, files, MAX_SESSIONS);
  return files;
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > limit) map.delete(map.keys().next().value as string);
}

const getFileKey = ({ workspace }: FileCallContext, path: string): string =>
  posix.resolve(workspace.describe().cwd, path);

/** Remembers that the session has seen the whole content. */
export function rememberShown(call: FileCallContext, path: string, hash: string, text?: string): void {
  const files = getShownFiles(call);
  const shown = { hash, text: text !== undefined && text.length <= MAX_TEXT ? text : undefined };
  if (files === undefined) return;
  putLast(files, getFileKey(call, path), shown, MAX_FILES);
  if (shown.text !== undefined) keepText(shown);
}

/** A session that has seen a file also knows its own changes of it. */
export function rememberChanges(call: FileCallContext, files: readonly FileChange[]): void {
  const known = getShownFiles(call);
  if (known === undefined || known.size === 0) return;
  for (const { path, after, before } of files) {
    const shown = known.get(getFileKey(call, path));
    if (shown !== undefined && after !== null && shown.hash === before) rememberShown(call, path, after);
  }
}

/**
 * Rejects the replacement of a file that changed after the session saw it: the new content would remove what others added.
 *
 * @throws `FILE_CHANGED` with the difference, which the session then has seen
 */
export function requireShownVersion(call: FileCallContext, { before, target: { path } }: PlannedFile): void {
  const shown = getShownFiles(call)?.get(getFileKey(call, path));
  if (shown === undefined || before === undefined) return;
  const hash = contentHash(before.bytes);
  if (hash === shown.hash) return;
  const now = (decodeForReading(before.bytes)?.text ?? before.bytes).toString().replaceAll("\r\n", "\n");
  const diff = shown.text === undefined ? undefined : formatDifference(path, shown.text, now);
  // A plan for an approval is not an answer to the model.
  if (diff !== undefined && call.id !== undefined) rememberShown(call, path, hash, now);
  throw fileChangedError(path, diff);
}

function formatDifference(path: string, old: string, now: string): string | undefined {
  const [before, after] = [Buffer.from(old), Buffer.from(now.replace(/^\uFEFF/, ""))];
  const regions = lineRegions(before, after, spliceBetween(before, after));
  return unifiedDiff({ before: `a/${path}`, after: `b/${path}` }, before, after, regions, MAX_DIFF)?.text;
}

function fileChangedError(path: string, diff: string | undefined): HaftError {
  const message = `${path} changed after this session read it. Nothing was written.`;
  return fileToolError("FILE_CHANGED", diff === undefined ? message : `${message}\n${diff}`, {
    fix:
      diff === undefined
        ? "Read it again, and include the changes."
        : "Include these changes in the content, or use edit, and send the call again.",
    receipt: "none",
    details: { path },
  });
}
