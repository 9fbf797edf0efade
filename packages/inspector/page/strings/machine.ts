import { plural } from "./frame.ts";

export const processes = {
  title: (running: number) =>
    running === 0 ? "Nothing runs" : plural(running, "command runs", "commands run"),
  none: "No command runs in the background",
  noneFix: "What an agent starts with exec in the background appears here.",
  choose: "Choose a command to see what it writes",
  one: "One command",
  running: "running",
  lost: "lost",
  endUnknown: "end not known",
  exited: (code: number) => `ended with ${code}`,
  ended: (signal: string) => `ended by ${signal}`,
  where: (location: string) =>
    ({
      host: "on this machine",
      view: "contained",
      sandbox: "in a sandbox",
      node: "on another machine",
      unknown: "where it ran is not known",
    })[location] ?? location,
  outside: "outside of its view",
  pty: "on a terminal",
  pid: (pid: number) => `process ${pid}`,
  since: (when: string) => `since ${when}`,
  written: (size: string) => `${size} written`,
  forward: (port: number, hostPort: number) => `its port ${port} is 127.0.0.1:${hostPort} here`,
  terminal: "Terminal of the command",
  typePty:
    "What you type goes to it, by the tool process of its session: policy and ledger as ever. F6 leaves the terminal.",
  typePipe:
    "What you type goes to its input, line by line, by the tool process of its session. F6 leaves the terminal.",
  onlyLook: "Its input is closed, or this page only looks.",
  over: "It has ended.",
  notHere: (why: string | undefined) =>
    `Only what was written down of it is known here${why === undefined ? "." : `: ${why}.`}`,
  kill: "Kill",
  killTitle: "Kill this command?",
  killMeans: "It and all that it started are ended. What it did so far stays.",
} as const;

/** Names and units of amounts. */
const AMOUNTS: Readonly<Record<string, readonly [name: string, unit?: string]>> = {
  calls: ["calls"],
  workspaces: ["workspaces"],
  memoryMb: ["memory", "MiB"],
  cpus: ["processors"],
  tasks: ["processes and threads"],
  tmpMb: ["/tmp", "MiB"],
  fileMb: ["one file", "MiB"],
  machineMb: ["memory of the machine", "MiB"],
  load: ["load of the machine"],
};

export const locations = {
  title: "What runs where",
  again: "Look again",
  commands: "Commands of sessions",
  where: {
    view: "contained",
    open: "on this machine",
    sandbox: "in a sandbox",
    nowhere: "not at all",
  },
  sandboxes: "Sandboxes",
  noSandboxes: "No sandbox is open.",
  nodes: "Other machines",
  noNodes: "No other machine is paired.",
  network: "network",
  sessions: "sessions",
  views: "Contained commands on this machine",
  noViews: "No contained command has run in a session that is open.",
  running: (number: number) => plural(number, "command runs", "commands run"),
  present: "there",
  away: "away",
  use: "use",
  notReported: "not reported",
  ofOthers:
    "Of programs that run elsewhere only their own page tells: haft serve --inspect, haft chat --inspect act.",
  inOrder: (names: readonly string[]) => {
    const known = Object.keys(AMOUNTS);
    return names.toSorted((one, other) => known.indexOf(one) - known.indexOf(other));
  },
  amount: (name: string) => AMOUNTS[name]?.[0] ?? name,
  useOf(name: string, use: string | undefined, limit: string | undefined) {
    const unit = AMOUNTS[name]?.[1];
    const of = use === undefined ? `at most ${limit}` : limit === undefined ? use : `${use} of ${limit}`;
    return unit === undefined ? of : `${of} ${unit}`;
  },
} as const;
