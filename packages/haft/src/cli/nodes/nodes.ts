import { refuseInSession } from "../refuse-in-session.ts";
import { defineCommand } from "../usage.ts";
import { approveNode, revokeNode } from "./decide.ts";
import { findNodes, listNodes, showNode } from "./list.ts";
import type { NodesValues } from "./open-nodes.ts";
import { pairNode } from "./pair.ts";
import { serverConfig } from "./server-config.ts";

const help = `haft nodes [list]
haft nodes find
haft nodes pair NODE [--read-code]
haft nodes show NODE
haft nodes approve NODE [COMMAND…] [--name NAME] [--digest DIGEST]
haft nodes revoke NODE
haft nodes server-config [--host ID]… [--node ID]… [--out FILE]

Other machines whose commands agents may call, with the tool node_invoke. Your own configuration says where they
are met, and grants the tool:

  nodes: { server: nats://nats.example.org }
  policy:
    grant: ["node_invoke(node:kitchen, arg:command=tool.read)"]

NODE is an id, the beginning of one, or a name. Nothing of a node is called that was not approved, and none of it
once it offers something else, until somebody looked.

list           Those that are paired: what may be called, and whether they are there; so without a word.
find           Those that answer on the server, paired or not.
pair           Begins a pairing with a node that waits for one (haft node pair, there), and shows a code: compare
               it with the one there.
show           What a node offers, and what of that is another since it was approved.
approve        Lets these commands be called, or all that it offers now.
revoke         Nothing of it is called any more, at once; it has to be paired anew.
server-config  The part of a NATS server's configuration that lets this host and its nodes in by their
               identities, and nobody hear or say what is others'.

      --name NAME           with approve: what rules and calls shall name it by
      --digest DIGEST       with approve: of what was looked at, as haft nodes show says it; where it offers
                            something else by now, nothing is approved
      --read-code           with pair, where there is no terminal: the code that the node shows is read from
                            standard input, and they are paired if it is the same
      --host ID             with server-config: one more host
      --node ID             with server-config: a node that is not paired yet, as haft node show says its id
      --out FILE            with server-config: write there instead of to standard output
      --server ADDRESS      instead of the server of the configuration: nats://…
      --config FILE         configuration; default: HAFT_CONFIG, or ~/.config/haft/haft.config.yaml
      --json                for programs
      --state DIR           where Haft keeps its state; default: HAFT_STATE_DIR, or
                            ~/.local/state/haft
  -h, --help                this text

Exit codes: 0 when it was done, 1 when not (no server, an unknown node, another code, a no), 2 for wrong
usage, 129, 130 or 143 when SIGHUP, SIGINT (Ctrl-C) or SIGTERM ended it.`;

const EVERYWHERE = ["server", "config", "state", "json"];

const ACTIONS = {
  list: { options: EVERYWHERE },
  find: { options: EVERYWHERE },
  pair: { options: [...EVERYWHERE, "read-code"] },
  show: { options: EVERYWHERE },
  approve: { options: [...EVERYWHERE, "name", "digest"] },
  revoke: { options: EVERYWHERE },
  "server-config": { options: [...EVERYWHERE, "host", "node", "out"] },
} as const;

const actions: Readonly<
  Record<keyof typeof ACTIONS, (values: NodesValues, words: readonly string[]) => Promise<number>>
> = {
  list: listNodes,
  find: findNodes,
  pair: pairNode,
  show: showNode,
  approve: approveNode,
  revoke: revokeNode,
  "server-config": serverConfig,
};

export const nodesCommand = defineCommand(
  help,
  {
    name: { type: "string" },
    digest: { type: "string" },
    "read-code": { type: "boolean" },
    host: { type: "string", multiple: true },
    node: { type: "string", multiple: true },
    out: { type: "string", names: "file" },
    server: { type: "string" },
    config: { type: "string", names: "file" },
    json: { type: "boolean" },
    state: { type: "string", names: "folder" },
    help: { type: "boolean", short: "h" },
  },
  async (values, positionals) => {
    const [action = "list", ...words] = positionals as [(keyof typeof ACTIONS)?, ...string[]];
    refuseInSession("say which other machines may be called");
    return actions[action](values, words);
  },
  { actions: ACTIONS, byDefault: "list" },
);
