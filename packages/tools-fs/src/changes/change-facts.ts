import { HaftError, type Workspace } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { relativeToRoot } from "../paths/planned-paths.ts";
import { Turns } from "../scheduling/turns.ts";
import type { ChangePath, ChangeRequest } from "./plan/change-contract.ts";
import type { PlannedFile, PlannedTree } from "./plan/planned-tree.ts";
import { contentHash, prepareHash } from "./text/content-hash.ts";

/** The state of each file before and after a change, by a name that a person understands. Holds no value of one host. */
export type ChangeFacts = Readonly<Record<string, string>>;

interface PlanWithFacts<Value> {
  facts: ChangeFacts;
  /** Answers the value of the plan, or throws the error that ended it. */
  finish(): Value;
}

export async function planWithFacts<Value>(
  workspace: Workspace,
  { plan, paths }: Pick<ChangeRequest<Value>, "plan" | "paths">,
  tree: PlannedTree,
): Promise<PlanWithFacts<Value>> {
  try {
    const value = await plan(tree);
    return { facts: await readFacts(workspace, tree.files, true), finish: () => value };
  } catch (thrown) {
    const { files, unread } = await loadAll(tree, paths);
    const fail = () => {
      throw thrown;
    };
    return { facts: { ...(await readFacts(workspace, files, false)), ...unread }, finish: fail };
  }
}

/**
 * Requires that the files are as they were when a person agreed to the change.
 *
 * @throws `PLAN_CHANGED` naming the first file that is not
 */
export function requireSameFacts(before: ChangeFacts, now: ChangeFacts): void {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const isPlanned = Object.keys(now).some((name) => name.startsWith(RESULT));
  // Where the plan fails now, its own error says why the files have no new content.
  const compared = [...names].filter((name) => isPlanned || !name.startsWith(RESULT));
  const changed = compared.find((name) => before[name] !== now[name] && (isPlanned || name in before));
  if (changed !== undefined) throw planChanged(changed.replace(RESULT, "").replace(STATE, ""));
}

export function planChanged(path: string): HaftError {
  const message = `${JSON.stringify(path)} is not as it was when the call was decided about. Nothing was written.`;
  return fileToolError("PLAN_CHANGED", message, { details: { path } });
}

const STATE = "file ";
const RESULT = "new content of ";

async function readFacts(
  workspace: Workspace,
  files: readonly PlannedFile[],
  hasResult: boolean,
): Promise<ChangeFacts> {
  const facts: Record<string, string> = {};
  const add = (name: string, fact: string): void => {
    facts[name] = name in facts ? `${facts[name]}\0${fact}` : fact;
  };
  const turns = new Turns();
  for (const file of files) {
    await turns.pause();
    const { path } = file.target;
    add(STATE + path, await stateOf(workspace, file));
    if (hasResult) add(RESULT + path, await resultOf(file));
  }
  return facts;
}

async function stateOf(workspace: Workspace, { target, before }: PlannedFile): Promise<string> {
  if (before === undefined) return "absent";
  const content = before.unreadable === undefined ? await hashOf(before.bytes) : before.stat.version;
  return before.link ? JSON.stringify([await leadsTo(workspace, target.at), content]) : content;
}

async function resultOf({ now, before }: PlannedFile): Promise<string> {
  if (now === undefined) return "absent";
  if (before?.unreadable !== undefined && now.bytes === before.bytes) return before.stat.version;
  return JSON.stringify([await hashOf(now.bytes), now.encoding]);
}

async function hashOf(bytes: Buffer): Promise<string> {
  await prepareHash(bytes);
  return contentHash(bytes);
}

async function leadsTo(workspace: Workspace, path: string): Promise<string> {
  try {
    return relativeToRoot(workspace, await workspace.fs.realpath(path));
  } catch (thrown) {
    return codeOf(thrown);
  }
}

/** After a plan that failed: the files that it did not come to count as well. */
async function loadAll(
  tree: PlannedTree,
  paths: readonly ChangePath[],
): Promise<{ files: readonly PlannedFile[]; unread: ChangeFacts }> {
  const unread: Record<string, string> = {};
  for (const { path, unlink } of paths) {
    try {
      await tree.file(path, unlink);
    } catch (thrown) {
      unread[STATE + path] = codeOf(thrown);
    }
  }
  return { files: tree.files, unread };
}

function codeOf(thrown: unknown): string {
  if (HaftError.is(thrown)) return thrown.code;
  throw thrown;
}
