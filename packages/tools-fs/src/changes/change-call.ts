import { type CallPlan, withoutUndefined, type Workspace } from "@haft/plugin-sdk";
import { type CallPath, planPaths, requirePlanned } from "../paths/planned-paths.ts";
import type { FileCall } from "../scheduling/late-tool.ts";
import { createChangeEngine } from "./change-engine.ts";
import { type ChangeFacts, planChanged, planWithFacts, requireSameFacts } from "./change-facts.ts";
import type { ChangeAuthor } from "./journal/transaction.ts";
import { type ChangeEngine, type ChangeRequest, workspaceEngineOptions } from "./plan/change-contract.ts";
import type { ChangeReport, FileChange } from "./plan/change-report.ts";
import { previewOf } from "./plan/preview-change.ts";
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
  const { failure, ...shown } = await previewOf(engineFor(call), { ...change, plan, signal });
  const data: PlannedChange = { paths, facts, isFailing: failure !== undefined };
  const all = failure === undefined ? { ...facts } : { ...facts, "the change": `fails: ${failure}` };
  return { ...planned, ...shown, data, facts: all };
}

/**
 * Makes the change, where its paths lead to the same places as when it was planned. Where a person agreed to it, the files must
 * have the same content as well.
 */
export async function runChangeCall<Value>(call: ChangeCall, change: ChangeRequest<Value>) {
  const { workspace, context, signal } = call;
  const engine = engineFor(call);
  const planned = context.plan as PlannedChange | undefined;
  const agreed = context.isAgreed === true ? planned : undefined;
  if (agreed !== undefined && (agreed.isFailing || agreed.facts === undefined)) {
    // A person saw why it fails. Where it would succeed now, that is another change.
    const plan = planNow(workspace, change, planned);
    await engine.change({ ...change, plan, signal, dryRun: true });
    throw planChanged(change.paths[0]?.path ?? ".");
  }
  return engine.change({ ...change, plan: planNow(workspace, change, planned, agreed?.facts), signal });
}

function planNow<Value>(
  workspace: Workspace,
  change: ChangeRequest<Value>,
  planned: PlannedChange | undefined,
  facts?: ChangeFacts,
): typeof change.plan {
  return async (tree) => {
    await requirePlanned(workspace, planned?.paths);
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
  // What was agreed to is open in the workspace of a session, and has to be opened in a tool's own.
  const { consent } = context;
  // And it acts for the session as long as that may act.
  const own = options.workspace && (context.fenced?.(options.workspace) ?? options.workspace);
  const agreed = consent && own?.withConsent?.(consent);
  const engineOptions = workspaceEngineOptions(agreed ?? own ?? workspace);
  return createChangeEngine(withoutUndefined({ ...engineOptions, journal, durable, maxFileBytes, by }));
}

/** Without a session it is nobody's. */
function authorOf({ id, context }: ChangeCall): ChangeAuthor | undefined {
  const { agentId, sessionKey, runId } = context;
  if (agentId === undefined || sessionKey === undefined) return undefined;
  return withoutUndefined({ agentId, sessionKey, runId, toolCallId: id });
}

export function changeOfFile<Value>(path: string, plan: ChangeRequest<Value>["plan"]): ChangeRequest<Value> {
  return { paths: [{ path }], plan, refineDiff: true };
}

export function describeFile(call: ChangeCall, { changed, files, transactionId }: ChangeReport) {
  const { path, after, diff, firstChangedLine } = files[0] as FileChange;
  const workspaceOnly = isWorkspaceOnly(call);
  return { path, changed, hash: after ?? "", diff, firstChangedLine, transactionId, workspaceOnly };
}

/**
 * What `details.workspaceOnly` says: as the options do, and by the name of the seeds for the host's tools always.
 */
function isWorkspaceOnly({ options, workspace, context }: ChangeCall): boolean | undefined {
  if (options.workspaceOnly !== undefined) return options.workspaceOnly;
  if (!context.toolName?.startsWith("host_workspace_")) return undefined;
  return workspace.describe().boundary !== "none";
}
