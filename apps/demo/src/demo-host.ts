import { createHost, type Host, type HostOptions } from "haft";
import { notifyPlugin } from "./notify-plugin.ts";
import type { ProjectCopy } from "./project-copy.ts";

/** The preset host on the copy, with one more plugin and, when it is given, a policy. */
export function createDemoHost(copy: ProjectCopy, policy: HostOptions["policy"] = {}): Promise<Host> {
  return createHost({
    workspaceDir: copy.project,
    plugins: [notifyPlugin((channel, message) => copy.deliver(channel, message))],
    policy,
    spoolDir: copy.spool,
  });
}
