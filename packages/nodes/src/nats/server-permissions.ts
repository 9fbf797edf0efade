import { requireKnownOptions } from "@haft/core/internal";
import { nodesError } from "../errors.ts";
import { isUserKey } from "../keys/nkey.ts";
import { subjects } from "../link/message-bus.ts";

/**
 * Configures {@link serverPermissions}.
 *
 * @example
 * ```ts
 * import { memoryRecords, openIdentity, type KnownHost } from "@haft/nodes";
 * import type { ServerPermissionsOptions } from "@haft/nodes/nats";
 * const hosts = memoryRecords<KnownHost>();
 * const options: ServerPermissionsOptions = { hosts: hosts.ids(), nodes: [openIdentity("/var/lib/node").id] };
 * ```
 */
export interface ServerPermissionsOptions {
  /** Identifies the hosts. */
  readonly hosts: readonly string[];
  /** Identifies the nodes. */
  readonly nodes: readonly string[];
  /** Starts all subjects, as for `openNatsBus`. Default `haft`. */
  readonly prefix?: string;
}

/**
 * Returns a part of a NATS server's configuration that isolates inboxes of hosts and messages of nodes. Hosts
 * and nodes log in by identity (`nkeySeed` of `openNatsBus`). Without it, messages are authenticated, but
 * every client can read and disturb them.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID` for an invalid id
 *
 * @example
 * ```ts run
 * import { createIdentity } from "@haft/nodes";
 * import { serverPermissions } from "@haft/nodes/nats";
 * const [host, node] = [createIdentity(), createIdentity()];
 * const configuration = serverPermissions({ hosts: [host.id], nodes: [node.id] });
 * configuration.startsWith("authorization {"); // => true
 * ```
 */
export function serverPermissions(options: ServerPermissionsOptions): string {
  requireKnownOptions<ServerPermissionsOptions>("serverPermissions", options, {
    hosts: true,
    nodes: true,
    prefix: true,
  });
  const { hosts, nodes, prefix = "haft" } = options;
  const wrong = [...hosts, ...nodes].find((id) => !isUserKey(id));
  if (wrong !== undefined)
    throw nodesError(
      "NODE_OPTIONS_INVALID",
      `${JSON.stringify(wrong)} is not the id of a host or a node (U…).`,
    );
  const { who, node, inbox } = subjects;
  const requests = (["hello", "link", "pair"] as const).map((what) => node(prefix, "*", what));
  const users = [
    ...hosts.map((id) => user(id, [who(prefix), ...requests], [inbox(prefix, id, ">")])),
    ...nodes.map((id) =>
      user(id, [inbox(prefix, "*", ">"), node(prefix, id, "here")], [who(prefix), node(prefix, id, "*")]),
    ),
  ];
  return `authorization {\n  users = [\n${users.join("\n")}\n  ]\n}\n`;
}

function user(nkey: string, publish: readonly string[], subscribe: readonly string[]): string {
  const permissions = `{ publish: ${JSON.stringify(publish)}, subscribe: ${JSON.stringify(subscribe)} }`;
  return `    { nkey: ${nkey}, permissions: ${permissions} }`;
}
