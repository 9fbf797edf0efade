import { requireKnownOptions } from "@haft/core/internal";
import { nodesError } from "../errors.ts";
import { isUserKey } from "../keys/nkey.ts";
import { subjects } from "../link/message-bus.ts";

/** Who may do what on a NATS server. */
export interface ServerPermissionsOptions {
  /** Ids of the hosts. */
  readonly hosts: readonly string[];
  /** Ids of the nodes. */
  readonly nodes: readonly string[];
  /** As for `openNatsBus`. */
  readonly prefix?: string;
}

/**
 * The part of a server's configuration that gives each host an inbox nobody else can read, and lets each node hear what is for
 * it alone. Hosts and nodes are let in by their identities (`nkeySeed` of `openNatsBus`). Without it, messages have their codes
 * all the same, but every client of the server can read them, and disturb.
 *
 * @throws HaftError `NODE_OPTIONS_INVALID` for what is no id
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
  const asked = (["hello", "link", "pair"] as const).map((what) => node(prefix, "*", what));
  const users = [
    ...hosts.map((id) => user(id, [who(prefix), ...asked], [inbox(prefix, id, ">")])),
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
