import type { CallSubjects } from "@haft/core";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import type { Host } from "@haft/host";
import { withoutUndefined } from "@haft/utils";

/**
 * Computes an unrecorded plan of a call with the current files. It runs nothing. `undefined` in a sandbox, or
 * if a plan is impossible.
 *
 * @example
 * ```ts
 * import type { CallRecord, RunRecord } from "@haft/core/kernel";
 * import type { Host } from "@haft/host";
 * import { replanCall } from "@haft/history/replay";
 * declare const host: Host;
 * declare const run: RunRecord;
 * declare const call: CallRecord;
 * const subjects = await replanCall(host, run, call);
 * ```
 */
export async function replanCall(
  host: Host,
  { facts }: RunRecord,
  { toolName, args, sender: ofCall }: CallRecord,
): Promise<CallSubjects | undefined> {
  if (facts.kind === "sandboxed" || facts.sandbox !== undefined) return undefined;
  const { kind, agentId, messageChannel, groupId, sender } = facts;
  const preview = await host.preview(withoutUndefined({ kind, agentId, messageChannel, groupId, sender }));
  const { plan } = await preview.explain(
    toolName,
    JSON.stringify(args),
    withoutUndefined({ sender: ofCall }),
  );
  return plan?.subjects;
}
