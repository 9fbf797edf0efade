import type { CallSubjects } from "@haft/core";
import type { CallRecord, RunRecord } from "@haft/core/kernel";
import type { Host } from "@haft/host";
import { withoutUndefined } from "@haft/utils";

/**
 * Works out what a call would do, on the files as they are now and without doing any of it, where that was not worked out when it
 * was made. `undefined` where it cannot be.
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
