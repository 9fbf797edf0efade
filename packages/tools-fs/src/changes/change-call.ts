import { type CallPlan, type Workspace, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { fileToolError } from "../errors.ts";
import { type CallPath, planPaths, requirePlannedPaths, relativeToRoot } from "../paths/planned-paths.ts";
import { EventLoopYielder } from "../scheduling/event-loop-yielder.ts";
import type { FileCall } from "../scheduling/lazy-tool.ts";
import { createChangeEngine } from "./change-engine.ts";
import type { ChangeAuthor } from "./journal/transaction.ts";
import {
  type ChangeEngine,
  type ChangeRequest,
  workspaceEngineOptions,
  type ChangePath,
} from "./plan/change-contract.ts";
import type { ChangeReport, FileChange } from "./plan/change-report.ts";
import type { PlannedFile, PlannedTree } from "./plan/planned-tree.ts";
import { previewChange } from "./plan/preview-change.ts";
import { rememberChanges } from "./shown-versions.ts";
import { contentHash, prepareHash } from "./text/content-hash.ts";
import type { ChangeToolOptions } from "./tool-options.ts";

export type ChangeCall<Params = unknown> = FileCall<Params, ChangeToolOptions>;

interface PlannedChange {
  paths: unknown;
  facts: ChangeFacts | undefined;
  isFailing: boolean;
}

export async function planChangeCall<Value>(
  call: ChangeCall,
  change: ChangeRequest<Value>,
): Promise<CallPlan> {
  const { workspace, signal } = call;
  const wanted = change.paths.map((one): CallPath => ({ ...one, access: "write" }));
  const { data: paths, ...planned } = await planPaths(workspace, wanted);
  let facts: ChangeFacts | undefined;
  const plan: typeof change.plan = async (tree) => {
    const made = await planWithFacts(workspace, change, tree);
    facts = made.facts;
    return made.finish();
  };
  const { failure, ...shown } = await previewChange(engineFor(call), { ...change, plan, signal });
  const data: PlannedChange = { paths, facts, isFailing: failure !== undefined };
  const all = failure === undefined ? { ...facts } : { ...facts, "the change": `fails: ${failure}` };
  return { ...planned, ...shown, data, facts: all };
}

/** Requires that paths still refer to the planned locations. After an approval, files must also have the same content. */
export async function runChangeCall<Value>(call: ChangeCall, change: ChangeRequest<Value>) {
  const { workspace, context, signal } = call;
  const engine = engineFor(call);
  const planned = context.plan as PlannedChange | undefined;
  const agreed = context.isAgreed === true ? planned : undefined;
  if (agreed !== undefined && (agreed.isFailing || agreed.facts === undefined)) {
    // The person saw a failing change. A success now is another change.
    const plan = planNow(workspace, change, planned);
    await engine.change({ ...change, plan, signal, dryRun: true });
    throw planChanged(change.paths[0]?.path ?? ".");
  }
  const result = await engine.change({
    ...change,
    plan: planNow(workspace, change, planned, agreed?.facts),
    signal,
  });
  rememberChanges(call, result.report.files);
  return result;
}

function planNow<Value>(
  workspace: Workspace,
  change: ChangeRequest<Value>,
  planned: PlannedChange | undefined,
  facts?: ChangeFacts,
): typeof change.plan {
  return async (tree) => {
    await requirePlannedPaths(workspace, planned?.paths);
    if (facts === undefined) return change.plan(tree);
    const made = await planWithFacts(workspace, change, tree);
    requireSameFacts(facts, made.facts);
    return made.finish();
  };
}

function engineFor(call: ChangeCall): ChangeEngine {
  const { options, workspace, context } = call;
  const { journal, durable, maxFileBytes } = options;
  const by = authorOf(call);
  // A workspace of a tool must open the approved paths itself.
  const { consent } = context;
  // The tool's workspace stops acting when the session loses its lease.
  const toolWorkspace = options.workspace && (context.fenced?.(options.workspace) ?? options.workspace);
  const agreed = consent && toolWorkspace?.withConsent?.(consent);
  const engineOptions = workspaceEngineOptions(agreed ?? toolWorkspace ?? workspace);
  return createChangeEngine(withoutUndefined({ ...engineOptions, journal, durable, maxFileBytes, by }));
}

function authorOf({ id, context }: ChangeCall): ChangeAuthor | undefined {
  const { agentId, sessionKey, runId } = context;
  if (agentId === undefined || sessionKey === undefined) return undefined;
  return withoutUndefined({ agentId, sessionKey, runId, toolCallId: id });
}

export function toFileChangeRequest<Value>(
  path: string,
  plan: ChangeRequest<Value>["plan"],
): ChangeRequest<Value> {
  return { paths: [{ path }], plan, refineDiff: true };
}

export function describeFile(call: ChangeCall, { changed, files, transactionId }: ChangeReport) {
  const { path, after, diff, firstChangedLine } = files[0] as FileChange;
  const workspaceOnly = isWorkspaceOnly(call);
  return { path, changed, hash: after ?? "", diff, firstChangedLine, transactionId, workspaceOnly };
}

/** Returns the option, or a value from the boundary for tools with the prefix `host_workspace_`. */
function isWorkspaceOnly({ options, workspace, context }: ChangeCall): boolean | undefined {
  if (options.workspaceOnly !== undefined) return options.workspaceOnly;
  if (!context.toolName?.startsWith("host_workspace_")) return undefined;
  return workspace.describe().boundary !== "none";
}

/** States of files by readable names. Values do not depend on the host. */
type ChangeFacts = Readonly<Record<string, string>>;

interface PlanWithFacts<Value> {
  facts: ChangeFacts;
  finish(): Value;
}

async function planWithFacts<Value>(
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

/** @throws `PLAN_CHANGED` with the first changed file */
function requireSameFacts(before: ChangeFacts, now: ChangeFacts): void {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const isPlanned = Object.keys(now).some((name) => name.startsWith(RESULT));
  const compared = [...names].filter((name) => isPlanned || !name.startsWith(RESULT));
  const changed = compared.find((name) => before[name] !== now[name] && (isPlanned || name in before));
  if (changed !== undefined) throw planChanged(changed.replace(RESULT, "").replace(STATE, ""));
}

function planChanged(path: string): HaftError {
  const message = `${JSON.stringify(path)} has changed since the decision about the call. Nothing was written.`;
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
  const turns = new EventLoopYielder();
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
