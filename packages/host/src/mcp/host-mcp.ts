import type { HostMcpSettings } from "@haft/config/internal/settings";
import type { Logger, Plugin } from "@haft/core";
import { registerSecrets, type ToolDiagnostic } from "@haft/core/internal";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ContainmentManager } from "../contained/containment-manager.ts";
import type { SandboxContext, ServerEnvironments, SessionServers } from "./server-environments.ts";

export interface HostMcp {
  plugins: readonly Plugin[];
  diagnostics: readonly ToolDiagnostic[];
  begin(containing: ContainmentManager, allowPrivate: readonly string[] | undefined): HostMcp;
  attach(opening: () => string, inside: SandboxContext | undefined): SessionServers;
  close(): void;
}

export async function openHostMcp(
  settings: HostMcpSettings | undefined,
  { stateDir, logger }: { stateDir: string | undefined; logger: Logger | undefined },
): Promise<HostMcp | undefined> {
  if (settings === undefined) return undefined;
  const { servers: configured = {}, file: named } = settings;
  const file = named === undefined ? undefined : resolve(named);
  const isThere = file !== undefined && existsSync(file);
  if (!isThere && Object.keys(configured).length === 0) return undefined;
  const [
    { readOperatorsFile },
    { listKnownServers },
    { mountServers },
    { ServerChangeStore },
    { openCredentials },
    { listServerSecrets },
    places,
  ] = await Promise.all([
    import("./operators-file.ts"),
    import("./known-servers.ts"),
    import("./mount-servers.ts"),
    import("./server-changes.ts"),
    import("./credentials.ts"),
    import("./server-secrets.ts"),
    import("./server-environments.ts"),
  ]);
  const operators = isThere ? readOperatorsFile(file) : {};
  const known = listKnownServers({
    kept: operators,
    configured,
    file: file ?? "createHost",
    configuration: file === undefined ? "createHost" : "the configuration",
  });
  const noted =
    stateDir === undefined || file === undefined ? undefined : new ServerChangeStore(stateDir, file);
  // Also covers secrets of blocked servers.
  const close = registerSecrets(listServerSecrets(known));
  let standing: ServerEnvironments | undefined;
  const mounted = mountServers(known, {
    changes: noted,
    logger,
    environmentFor: (server, context) => standing!.environmentFor(server, context),
  });
  const opened: HostMcp = {
    ...mounted,
    close,
    begin(containing, allowPrivate) {
      const credentials =
        stateDir === undefined || file === undefined ? undefined : openCredentials(stateDir, file);
      standing = new places.ServerEnvironments({ ...containing.context, allowPrivate, credentials });
      return opened;
    },
    attach: (opening, inside) => standing!.attach(opening, inside),
  };
  return opened;
}
