import type { Logger, Plugin } from "@haft/core";
import { knowSecrets } from "@haft/core/internal";
import type { ToolDiagnostic } from "@haft/core/kernel";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Containing } from "../contained/containing.ts";
import type { HostMcpSettings } from "../settings/mcp-servers.ts";
import type { Inside, ServerPlaces, SessionPlaces } from "./server-places.ts";

export interface HostMcp {
  plugins: readonly Plugin[];
  diagnostics: readonly ToolDiagnostic[];
  begin(containing: Containing, allowPrivate: readonly string[] | undefined): HostMcp;
  attach(opening: () => string, inside: Inside | undefined): SessionPlaces;
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
    { knownServers },
    { mountServers },
    { NotedChanges },
    { credentialsIn },
    { secretsOfServers },
    places,
  ] = await Promise.all([
    import("./operators-file.ts"),
    import("./known-servers.ts"),
    import("./mount-servers.ts"),
    import("./noted-changes.ts"),
    import("./credentials.ts"),
    import("./secrets-of-servers.ts"),
    import("./server-places.ts"),
  ]);
  const kept = isThere ? readOperatorsFile(file) : {};
  const known = knownServers({
    kept,
    configured,
    file: file ?? "createHost",
    configuration: file === undefined ? "createHost" : "the configuration",
  });
  const noted = stateDir === undefined || file === undefined ? undefined : new NotedChanges(stateDir, file);
  // Before any session, and also of those that are held back: what they are given is as secret.
  const close = knowSecrets(secretsOfServers(known));
  let standing: ServerPlaces | undefined;
  const mounted = mountServers(known, {
    noted,
    logger,
    placeFor: (server, context) => standing!.placeFor(server, context),
  });
  const opened: HostMcp = {
    ...mounted,
    close,
    begin(containing, allowPrivate) {
      const credentials =
        stateDir === undefined || file === undefined ? undefined : credentialsIn(stateDir, file);
      standing = new places.ServerPlaces({ ...containing.ground, allowPrivate, credentials });
      return opened;
    },
    attach: (opening, inside) => standing!.attach(opening, inside),
  };
  return opened;
}
