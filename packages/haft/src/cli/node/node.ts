import { refuseInSession } from "../refuse-in-session.ts";
import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { forgetHost, listHosts } from "./hosts.ts";
import type { NodeValues } from "./open-node.ts";
import { pairHost } from "./pair.ts";
import { showNode } from "./show.ts";
import { startNode } from "./start.ts";

const help = `haft node start [options]
haft node pair [--read-code] [options]
haft node show [options]
haft node hosts
haft node forget HOST

Lets agents on other machines call tools of this one, and work in folders of it. Your own configuration says which:

  node:
    server: nats://nats.example.org     # a NATS server where hosts and nodes meet
    name: kitchen                       # default: the name of this machine
    offer: [read, grep, camera_snap]    # tools, those of plugins among them
    kind: group                         # default; what the session of each host is here
    workspaces:                         # folders for sessions of hosts, in a sandbox of this machine
      garden: { folder: ~/garden, access: rw }

Every call of a host is one of a session here: this machine's rules, boundary, approvals and ledger decide
about it, whatever the host allows. What has to be approved is answered here, with haft approvals.

start     Serves in the foreground, until Ctrl-C: what runs then is told to stop.
pair      Waits for one host, for five minutes, and shows a code: compare it with the one there.
show      What is offered, as whoever runs a host sees it, and the id of this node. Connects to nothing.
hosts     The hosts that this node knows.
forget    Does not know a host any more, at once: by its id, the beginning of that, or its name.

      --server ADDRESS      instead of the server of the configuration: nats://…
      --read-code           with pair, where there is no terminal: the code that the host shows is read from
                            standard input, and they are paired if it is the same
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when it was done, 1 when not (no server, no host that came, another code, a no), 2 for wrong
usage, 129, 130 or 143 when SIGHUP, SIGINT (Ctrl-C) or SIGTERM ended it.`;

const OF_SESSION = [...Object.keys(sessionArguments), "json", "server"];

const ACTIONS = {
  start: { options: OF_SESSION },
  pair: { options: [...OF_SESSION, "read-code"] },
  show: { options: OF_SESSION },
  hosts: { options: ["state", "json"] },
  forget: { options: ["state", "json"] },
} as const;

const actions: Readonly<
  Record<keyof typeof ACTIONS, (values: NodeValues, words: readonly string[]) => Promise<number>>
> = {
  start: withoutWords(startNode, "start"),
  pair: withoutWords(pairHost, "pair"),
  show: showNode,
  hosts: listHosts,
  forget: forgetHost,
};

export const nodeCommand = defineCommand(
  help,
  {
    ...sessionArguments,
    server: { type: "string" },
    "read-code": { type: "boolean" },
    json: { type: "boolean" },
  },
  async (values, positionals) => {
    const [action, ...words] = positionals as [keyof typeof ACTIONS, ...string[]];
    refuseInSession("say what this machine offers to others");
    return actions[action](values, words);
  },
  { actions: ACTIONS },
);

function withoutWords(run: (values: NodeValues) => Promise<number>, action: string) {
  return (values: NodeValues, [word]: readonly string[]) => {
    if (word !== undefined) throw new UsageError(`haft node ${action} takes no "${word}".`);
    return run(values);
  };
}
