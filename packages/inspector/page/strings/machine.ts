import { plural } from "./frame.ts";

export const processes = {
  title: (running: number) =>
    running === 0 ? "No command runs" : plural(running, "command runs", "commands run"),
  none: "No command runs in the background",
  noneFix: "Commands that an agent starts in the background with exec appear here.",
  choose: "Choose a command to see its output",
  one: "One command",
  running: "running",
  lost: "lost",
  endUnknown: "unknown end",
  exited: (code: number) => `ended with ${code}`,
  ended: (signal: string) => `ended by ${signal}`,
  where: (location: string) =>
    ({
      host: "on this machine",
      view: "contained",
      sandbox: "in a sandbox",
      node: "on another machine",
      unknown: "unknown location",
    })[location] ?? location,
  outside: "outside its view",
  pty: "on a terminal",
  pid: (pid: number) => `process ${pid}`,
  since: (when: string) => `since ${when}`,
  written: (size: string) => `${size} written`,
  forward: (port: number, hostPort: number) => `its port ${port} is 127.0.0.1:${hostPort} here`,
  terminal: "Terminal of the command",
  typePty:
    "Your input goes to the command through the tool process of its session, so policy and ledger apply. F6 leaves the terminal.",
  typePipe:
    "Your input goes to the command line by line, through the tool process of its session. F6 leaves the terminal.",
  onlyLook: "Its input is closed, or this page is read-only.",
  over: "It has ended.",
  notHere: (why: string | undefined) =>
    `Only its record is available here${why === undefined ? "." : `: ${why}.`}`,
  kill: "Kill",
  killTitle: "Kill this command?",
  killMeans: "This ends the command and all processes that it started. Its changes so far remain.",
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
  title: "Where commands run",
  again: "Refresh",
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
  noViews: "No contained command has run in an open session.",
  running: (number: number) => plural(number, "command runs", "commands run"),
  present: "online",
  away: "offline",
  use: "use",
  notReported: "not reported",
  ofOthers:
    "Other programs report their use only on their own page: haft serve --inspect, haft chat --inspect act.",
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
