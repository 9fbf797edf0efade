import { createHost, type Host, type HostOptions } from "@haft/host";
import type { ServedInspector } from "@haft/inspector";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../../../test/support/temporary-folder.ts";
import { inspect } from "../../../../src/host/inspect.ts";

/** A host with a workspace, rules and a state folder of its own, and its page. */
export interface HostWithPage {
  host: Host;
  served: ServedInspector;
  folder: string;
  policyFile: string;
}

const POLICY = `sessions:
  group:
    grant: [write]
    ask: [write]
`;

/** Everything is closed after the test. */
export async function openHostWithPage({
  policy = POLICY,
  act = true,
  ...more
}: { policy?: string; act?: boolean } & Pick<
  HostOptions,
  "record" | "administratorPolicy" | "plugins" | "nodes"
> = {}): Promise<HostWithPage> {
  const above = realpathSync(await temporaryFolder());
  const folder = join(above, "shop");
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src/server.ts"), SERVER);
  const policyFile = join(above, "policy.yaml");
  writeFileSync(policyFile, policy);
  const host = await createHost({
    config: false,
    administratorPolicy: false,
    policy: policyFile,
    workspaceDir: folder,
    stateDir: join(above, "state"),
    approvalMode: "pending",
    ...more,
  });
  const served = await inspect(host, { act });
  onTestFinished(async () => {
    await served.close();
    await host.close();
  });
  return { host, served, folder, policyFile };
}

const SERVER = `import { serve } from "./serve.ts";

const port = 8080;

export function start() {
  return serve({ port });
}
`;
