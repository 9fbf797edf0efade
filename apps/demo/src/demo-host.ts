import { createHost, type Host, type HostOptions } from "haft";
import { join } from "node:path";
import { notifyPlugin } from "./notify-plugin.ts";
import type { ProjectCopy } from "./project-copy.ts";

/**
 * The preset host on the copy, with one more plugin and, when it is given, a policy. What it keeps
 * goes with the copy. Whoever is asked for approval says no,
 * unless somebody else is given.
 */
export function createDemoHost(
  copy: ProjectCopy,
  policy: HostOptions["policy"] = {},
  more: Pick<HostOptions, "workspaceDir" | "sandbox" | "nodes" | "approver" | "approvalMode" | "logger"> = {},
): Promise<Host> {
  return createHost({
    workspaceDir: copy.project,
    plugins: [notifyPlugin((channel, message) => copy.deliver(channel, message))],
    policy,
    approver: { ask: async () => "deny" },
    stateDir: join(copy.root, "state"),
    // So that `haft ledger replay` can play it again.
    record: "full",
    processes: { stateFolder: join(copy.root, "runs") },
    spoolDir: copy.spool,
    ...more,
  });
}
