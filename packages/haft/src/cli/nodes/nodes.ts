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

Other machines whose commands agents may call, with the tool node_invoke, and what agents on other machines may
call here. Your own configuration says where they are met, and grants the tool:

  nodes: { server: nats://nats.example.org }
  policy:
    grant: ["node_invoke(node:kitchen, arg:command=tool.read)"]

On the machine whose tools are called, it says which:

  node:
    server: nats://nats.example.org     # a NATS server where hosts and nodes meet
    name: kitchen                       # default: the name of this machine
    offer: [read, grep, camera_snap]    # tools, those of plugins among them
    kind: group                         # default; what the session of each host is here
    workspaces:                         # folders for sessions of hosts, in a sandbox of this machine
      garden: { folder: ~/garden, access: rw }

NODE is an id, the beginning of one, or a name. Nothing of a node is called that was not approved, and none of it
once it offers something else, until somebody looked. Every call of a host is one of a session on the node: its rules,
boundary, approvals and ledger decide about it, whatever the host allows. What has to be approved is answered there,
with haft approvals.

list           Nodes that are paired: what may be called, and whether they are there; so without a word.
find           Those that answer on the server, paired or not.
pair           Begins a pairing with a node that waits for one (haft nodes accept, there), and shows a code: compare
               it with the one there.
show           What a node offers, and what of that is another since it was approved.
approve        Lets these commands be called, or all that it offers now.
revoke         Nothing of it is called any more, at once; it has to be paired anew.
server-config  The part of a NATS server's configuration that lets this host and its nodes in by their
               identities, and nobody hear or say what is others'. NODE: the id of one that is not paired yet, as
               haft nodes offer says it there.
start          Serves this machine as a node in the foreground, until Ctrl-C: what runs then is told to stop.
accept         Waits for one host, for five minutes, and shows a code: compare it with the one there.
offer          What this machine offers, as whoever runs a host sees it, and its id. Connects to nothing.
hosts          The hosts that this machine knows as a node.
forget         Does not know a host any more, at once: by its id, the beginning of that, or its name.

      --name NAME           with approve: what rules and calls shall name it by
      --digest DIGEST       with approve: of what was looked at, as haft nodes show says it; where it offers
                            something else by now, nothing is approved
      --read-code           with pair and accept, where there is no terminal: the code that the other side shows is
                            read from standard input, and they are paired if it is the same
      --host ID             with server-config: one more host
      --out FILE            with server-config: write there instead of to standard output
      --server ADDRESS      instead of the server of the configuration: nats://…
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when it was done, 1 when not (no server, an unknown node, another code, a no), 2 for wrong
usage, 129, 130 or 143 when SIGHUP, SIGINT (Ctrl-C) or SIGTERM ended it.`;

const { config, state } = sessionArguments;
const asHost = { server: TEXT, config, state, json: FLAG } as const;
const asNode = { ...sessionArguments, server: TEXT, json: FLAG } as const;
const known = { state, json: FLAG } as const;

const DECIDES = "say which other machines may be called, or what this one offers to others";

const decided = <const O extends CommandOptions>(
  options: O,
  run: Action<O>["run"],
  more: Partial<Action<O>> = {},
): Action => action({ decides: DECIDES, options, run, ...more });

const oneNode = (name: string) => ({
  most: 1,
  needs: `Which node? haft nodes ${name} NODE; haft nodes list names them.`,
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
      needs: "Which host? haft nodes forget HOST; haft nodes hosts lists them.",
    }),
  },
  "list",
);
