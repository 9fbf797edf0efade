import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import {
  type Action,
  action,
  defineCommand,
  FILE,
  FLAG,
  type CommandOptions,
  TEXT,
  TEXTS,
} from "../usage.ts";
import { forgetHost, listHosts } from "./hosts.ts";
import { approveNode, findNodes, listNodes, revokeNode, serverConfig, showNode } from "./list.ts";
import { acceptHost, pairNodeCommand } from "./pair.ts";
import { offerNode, startNode } from "./start.ts";

const help = `haft nodes [list]
haft nodes find
haft nodes pair NODE [--read-code]
haft nodes show NODE
haft nodes approve NODE [COMMAND…] [--name NAME] [--digest DIGEST]
haft nodes revoke NODE
haft nodes server-config [NODE…] [--host ID]… [--out FILE]
haft nodes start [options]
haft nodes accept [--read-code] [options]
haft nodes offer [options]
haft nodes hosts
haft nodes forget HOST

Manages other machines whose commands agents can call with the tool node_invoke, and the tools that this machine
offers to agents of other machines. Your own configuration names the server and grants the tool:

  nodes: { server: nats://nats.example.org }
  policy:
    grant: ["node_invoke(node:kitchen, arg:command=tool.read)"]

On the machine that offers tools, it lists them:

  node:
    server: nats://nats.example.org     # the NATS server of hosts and nodes
    name: kitchen                       # default: the name of this machine
    offer: [read, grep, camera_snap]    # tools, also of plugins
    kind: group                         # default; the kind of session of each host
    workspaces:                         # folders for sessions of hosts, in a sandbox of this machine
      garden: { folder: ~/garden, access: rw }

NODE is an id, the beginning of one, or a name. Only approved commands of a node can be called, and none after it
changes its offer, until you approve again. Each call of a host is a call of a session on the node: the rules,
boundary, approvals and ledger of the node decide about it, regardless of the host. Approvals are answered there, with
haft approvals.

list           Lists paired nodes, their approved commands and whether they are online; the default action.
find           Lists nodes that answer on the server, paired or not.
pair           Starts a pairing with a node that waits for one (haft nodes accept, there), and shows a code: compare
               it with the code there.
show           Shows the offer of a node, and its changes since the approval.
approve        Allows these commands, or the whole present offer.
revoke         Blocks all calls of a node at once; it must be paired again.
server-config  Prints the part of a NATS server's configuration that admits this host and its nodes by their
               identities, and separates their messages from those of others. NODE: the id of a node that is not
               paired yet, from haft nodes offer there.
start          Serves this machine as a node in the foreground, until Ctrl-C: then running calls are told to stop.
accept         Waits five minutes for one host, and shows a code: compare it with the code there.
offer          Shows the offer of this machine as hosts see it, and its id. Does not connect.
hosts          Lists the hosts that this machine knows as a node.
forget         Removes a host at once, by its id, the beginning of its id, or its name.

      --name NAME           with approve: the name of the node in rules and calls
      --digest DIGEST       with approve: the digest that haft nodes show printed; approves nothing if the offer
                            has changed since
      --read-code           with pair and accept, without a terminal: read the code of the other side from standard
                            input, and pair if it is the same
      --host ID             with server-config: one more host
      --out FILE            with server-config: write to this file instead of standard output
      --server ADDRESS      server instead of that of the configuration: nats://…
      --json                print JSON for programs

${sessionArgumentsHelp}

Exit codes: 0 if it succeeded, 1 if not (no server, an unknown node, a different code, a refusal), 2 for wrong usage,
129, 130 or 143 if SIGHUP, SIGINT (Ctrl-C) or SIGTERM ended it.`;

const { config, state } = sessionArguments;
const asHost = { server: TEXT, config, state, json: FLAG } as const;
const asNode = { ...sessionArguments, server: TEXT, json: FLAG } as const;
const known = { state, json: FLAG } as const;

const DECIDES = "decide which machines can be called, or which tools this machine offers";

const decided = <const O extends CommandOptions>(
  options: O,
  run: Action<O>["run"],
  more: Partial<Action<O>> = {},
): Action => action({ decides: DECIDES, options, run, ...more });

const oneNode = (name: string) => ({
  most: 1,
  needs: `Name a node: haft nodes ${name} NODE; haft nodes list shows all.`,
});

export const nodesCommand = defineCommand(
  help,
  {
    list: decided(asHost, listNodes),
    find: decided(asHost, findNodes),
    pair: decided({ ...asHost, "read-code": FLAG }, pairNodeCommand, oneNode("pair")),
    show: decided(asHost, showNode, oneNode("show")),
    approve: decided({ ...asHost, name: TEXT, digest: TEXT }, approveNode, {
      ...oneNode("approve"),
      most: Infinity,
    }),
    revoke: decided(asHost, revokeNode, oneNode("revoke")),
    "server-config": decided({ ...asHost, host: TEXTS, out: FILE }, serverConfig, { most: Infinity }),
    start: decided(asNode, startNode),
    accept: decided({ ...asNode, "read-code": FLAG }, acceptHost),
    offer: decided(asNode, offerNode),
    hosts: decided(known, listHosts),
    forget: decided(known, forgetHost, {
      most: 1,
      needs: "Name a host: haft nodes forget HOST; haft nodes hosts lists all.",
    }),
  },
  "list",
);
