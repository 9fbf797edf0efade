import { plural } from "./frame.ts";

export const owner = {
  who: "Agent",
  anyOf: (kind: string) => `any ${kind} session`,
  print: "Print",
  title: (agent: string) => (agent === "" ? "What the agent can do" : `What the agent “${agent}” can do`),
  about: (kind: string, key: string, isPast: boolean) =>
    key === ""
      ? `In any ${kind} session, for every sender.`
      : isPast
        ? `If the ${kind} session ${key} continued here, under the current rules.`
        : `In the ${kind} session ${key}, under the current rules, for every sender.`,
  made: (when: string) => `Made ${when}.`,
  answers: {
    yes: "yes",
    "some-asked": "some without asking",
    "some-refused": "some, others denied",
    asks: "asks first",
    no: "no",
  },
  undeclared: "not declared",
  effects: {
    read: "Read files",
    write: "Change files",
    commands: "Run commands",
    network: "Use the network",
    messages: "Send messages",
    machines: "Act on other machines",
  },
  means: {
    files: "file tools",
    commands: "commands",
    leaving: "commands outside",
    process: "input to commands",
    plugins: "plugins",
    nodes: "nodes",
  },
  how: {
    yes: "No approval is needed.",
    "some-asked": "Some calls need no approval; a person is asked before the others.",
    "some-refused": "Some calls need no approval; the others are denied.",
    asks: "A person is asked first.",
    no: "Denied.",
  },
  none: "No tool of the session does it.",
  files: {
    read: (isWide: boolean) =>
      isWide
        ? "File tools read files inside and outside the folders below."
        : "File tools read files in the folders below.",
    write: (isWide: boolean) =>
      isWide
        ? "File tools change files inside and outside the folders below."
        : "File tools change files in the folders below.",
  },
  commands: {
    open: {
      read: "Commands read every file that the user who started Haft may read.",
      write: "Commands change every file that the user who started Haft may change.",
      commands:
        "Commands run as the user who started Haft, with all rights of that user. Nothing contains them.",
      network: "Commands reach every host that this machine reaches.",
      messages: "Commands can send messages to everyone that this machine can reach.",
      machines: "Commands can act on every machine that this user can log in to.",
    },
    view: {
      read: "Commands read the files in their view of this machine.",
      write: (where: string) =>
        where === ""
          ? "Commands change files in temporary folders only."
          : `Commands change files in ${where}.`,
      commands: "Commands run in a view of this machine.",
      network: (hosts: string) => `Commands reach ${hosts}.`,
      messages: (hosts: string) => `Commands can send messages through ${hosts}.`,
      machines: (hosts: string) => `Commands can act on ${hosts}.`,
    },
    sandbox: {
      read: "Commands read the files of the sandbox.",
      write: {
        none: "Commands change files of the sandbox, which has no folder of this machine.",
        ro: "Commands change files of the sandbox. The mounted folder is read only.",
        rw: "Commands change files of the sandbox and of the mounted folder.",
      },
      commands: "Commands run in a sandbox.",
    },
    node: (name: string) => `Commands run on the machine ${name}, with the rights they have there.`,
    elsewhere: "Commands run in the location of the session's workspace, with the rights they have there.",
    fullNetwork: "every host that this machine reaches",
    someNetwork: "the allowed hosts of the sandbox",
    noNetwork: "Commands have no network while they stay there.",
    notContained: (reason: string) =>
      `The policy requires containment of commands, but this machine cannot contain them: ${reason}`,
    leaving: "A command that leaves the view has all rights of the user who started Haft.",
    process:
      "The tool process writes to running commands. The rules for commands apply to input to a shell. Input to other programs is not checked.",
  },
  plugins: {
    read: "These tools of plugins and servers declare that they read files, or declare no effects.",
    write: "These tools of plugins and servers declare that they change files, or declare no effects.",
    commands: "These tools of plugins and servers declare that they run commands, or declare no effects.",
    network: "These tools of plugins and servers declare that they use the network, or declare no effects.",
    messages: "These tools of plugins and servers declare that they send messages, or declare no effects.",
    machines: "",
  },
  undeclaredBy: (names: string) =>
    `Some tools of plugins and servers need no approval and do not declare this effect: ${names}. Their code runs with the rights of the host; Haft does not check what it does.`,
  nodes: (names: string) => `The tool node_invoke runs the approved commands of these machines: ${names}.`,
  noNodes: "No machine is paired.",
  by: (names: string) => `With ${names}`,
  folders: "Folders of the file tools",
  noFolders: "A private folder of the sandbox, which is removed with it.",
  notHeld: {
    open: "Commands are not limited to these folders.",
    view: "See “Change files” above for the folders of commands.",
    sandbox: "Commands see the same folders, as the sandbox mounts them.",
    node: "The other machine limits the commands.",
    elsewhere: "Whether commands are limited to these folders is unknown here.",
  },
  readWrite: "read and changed",
  readOnly: "read only",
  closed: "Closed to file tools, regardless of the rules",
  hidden: "Hidden from commands",
  closedOpen: "Commands can read these files, because they are not contained.",
  consent: "File tools change these only after a person has agreed, regardless of the rules",
  consentOpen: "Commands can change these files, because they are not contained.",
  asking: "Approvals",
  approvals: (mode: string, minutes: number) =>
    mode === "deny"
      ? "Calls that need approval are denied."
      : `Calls that need approval wait up to ${minutes} minutes for a person or for the program that decides.`,
  grants: (number: number) =>
    number === 0
      ? "There are no grants."
      : `${plural(number, "grant allows", "grants allow")} calls without asking again.`,
  recorded: "Records",
  record: (mode: string) =>
    mode === "none"
      ? "Only the outcomes of calls are recorded."
      : mode === "full"
        ? "Every call is recorded with its arguments and results; known secrets are masked. A command is recorded with its line and output, not with its effects."
        : "Every call is recorded with its arguments and the start of its result; known secrets are masked. A command is recorded with its line and output, not with its effects.",
  undo: "Changes by file tools can be reverted. Changes by commands, plugins and nodes cannot.",
  noUndo: "Changes cannot be reverted.",
  audit: "An audit log is also written.",
  allTools: (number: number) => `Its ${plural(number, "tool", "tools")}`,
  missing: (number: number) =>
    `${plural(number, "more tool is", "more tools are")} installed but not offered to it.`,
  guarded: {
    title: (client: string) => `Haft and ${client}`,
    about: (client: string, key: string) =>
      `${client} runs the session ${key} itself, with its own tools. It asks Haft before a call.`,
    can: "Capabilities",
    canText: (client: string) =>
      `They are unknown to Haft. ${client} has its own tools, rules, questions and sandbox, and its commands run as the user who started it. ${client} decides about every call that Haft does not deny.`,
    sees: "Visible to Haft",
    seesText: (client: string, folder: string) =>
      `Calls about which ${client} asks its hook, with their arguments, before they run. The last call was in ${folder}.`,
    asked: (calls: number) => `Of the newest ${plural(calls, "call", "calls")} of this session:`,
    tool: (calls: number, denied: number, waiting: number) =>
      [
        plural(calls, "call", "calls"),
        denied === 0 ? "" : `${denied} denied`,
        waiting === 0 ? "" : `${waiting} waiting`,
      ]
        .filter(Boolean)
        .join(", "),
    blind: "Not visible to Haft",
    blindText: (client: string) =>
      `The outcome and result of an allowed call, and the effects of its programs. Calls that ${client} makes without asking its hook.`,
    keeps: "Recorded by Haft",
    keepsText:
      "Each question and its answer, in the audit log, with the arguments; known secrets are masked. Results are not recorded.",
    cannot: "Not possible with Haft",
    cannotText: (client: string) =>
      `Reverting changes, containing commands, stopping a running call, or replaying the session: ${client} runs all of it.`,
  },
} as const;
