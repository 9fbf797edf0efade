import { type CallPlan, withoutUndefined } from "@haft/plugin-sdk";
import { type CallPath, planPaths, requirePlanned } from "../paths/planned-paths.ts";
import type { FileCall } from "../scheduling/late-tool.ts";
import { createChangeEngine } from "./change-engine.ts";
import type { ChangeAuthor } from "./journal/transaction.ts";
import { workspaceEngineOptions } from "./lazy-engine.ts";
import type { ChangeEngine, ChangeRequest } from "./plan/change-contract.ts";
import type { ChangeReport, FileChange } from "./plan/change-report.ts";
import { previewOf } from "./plan/preview-change.ts";
import type { ChangeToolOptions } from "./tool-options.ts";

/** A call of a tool that changes files. */
export type ChangeCall<Params = unknown> = FileCall<Params, ChangeToolOptions>;

/** The files a call is about, and how they would change. */
export async function planChangeCall<Value>(
  call: ChangeCall,
  change: ChangeRequest<Value>,
): Promise<CallPlan> {
  const wanted = change.paths.map((one): CallPath => ({ ...one, access: "write" }));
  const planned = await planPaths(call.workspace, wanted);
  const shown = await previewOf(engineFor(call), { ...change, signal: call.signal });
  return { ...planned, ...shown };
}

/** Makes the change, where the files are still those the plan was about. */
export function runChangeCall<Value>(call: ChangeCall, change: ChangeRequest<Value>) {
  return engineFor(call).change({
    ...change,
    plan: async (tree) => {
      await requirePlanned(call.workspace, call.context.plan);
      return change.plan(tree);
    },
    signal: call.signal,
  });
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

/** A change of one file, of which the diff is for people to read. */
export function changeOfFile<Value>(path: string, plan: ChangeRequest<Value>["plan"]): ChangeRequest<Value> {
  return { paths: [{ path }], plan, refineDiff: true };
}

/** What the tools that change one file say of it. */
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
