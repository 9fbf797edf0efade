import { plural } from "./frame.ts";

export const owner = {
  who: "Whose abilities",
  anyOf: (kind: string) => `any ${kind} session`,
  print: "Print",
  title: (agent: string) => (agent === "" ? "What the agent can do" : `What the agent “${agent}” can do`),
  about: (kind: string, key: string, isPast: boolean) =>
    key === ""
      ? `In any ${kind} session, whoever writes in it.`
      : isPast
        ? `If the ${kind} session ${key} went on here, by the rules of now.`
        : `In the ${kind} session ${key}, by the rules of now, whoever writes in it.`,
  made: (when: string) => `Made ${when}.`,
  answers: {
    yes: "yes",
    "some-asked": "some, asked about",
    "some-refused": "some, refused",
    asks: "asks first",
    no: "no",
  },
  undeclared: "not declared",
  effects: {
    read: "Read files",
    write: "Change files",
    commands: "Run commands",
    network: "Reach the network",
    messages: "Write to people",
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
    yes: "Not asked about.",
    "some-asked": "Some of it is not asked about; about the rest a person is asked first.",
    "some-refused": "Some of it is not asked about; other calls are refused.",
    asks: "A person is asked first.",
    no: "Refused.",
  },
  none: "No tool of the session does it.",
  files: {
    read: (isWide: boolean) =>
      isWide
        ? "File tools read files inside and outside of the folders below."
        : "File tools read files in the folders below.",
    write: (isWide: boolean) =>
      isWide
        ? "File tools change files inside and outside of the folders below."
        : "File tools change files in the folders below.",
  },
  commands: {
    open: {
      read: "Commands read every file that the user who started Haft may read.",
      write: "Commands change every file that the user who started Haft may change.",
      commands:
        "Commands run as the user who started Haft, with all rights of that user. Nothing contains them.",
      network: "Commands reach every host that this machine reaches.",
      messages: "Commands can send messages to everybody whom this machine reaches.",
      machines: "Commands can act on every machine that this user can log in to.",
    },
    view: {
      read: "Commands read what their view of this machine shows them.",
      write: (where: string) =>
        where === ""
          ? "Commands change files in temporary folders only."
          : `Commands change files in ${where}.`,
      commands: "Commands run in a view of this machine.",
      network: (hosts: string) => `Commands reach ${hosts}.`,
      messages: (hosts: string) => `Commands can send messages by way of ${hosts}.`,
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
    elsewhere: "Commands run where the workspace of the session is, with the rights they have there.",
    fullNetwork: "every host that this machine reaches",
    someNetwork: "the hosts on the list of the sandbox",
    noNetwork: "Commands have no network while they stay there.",
    notContained: (reason: string) =>
      `The policy wants commands contained, and nothing contains them here: ${reason}`,
    leaving: "A command that leaves the view has all rights of the user who started Haft.",
    process:
      "The tool process types into commands that run already. What is typed into a shell is under the rules for commands; what is typed into another program is not looked at.",
  },
  plugins: {
    read: "These tools of plugins and servers say that they read files, or do not say what they do.",
    write: "These tools of plugins and servers say that they change files, or do not say what they do.",
    commands: "These tools of plugins and servers say that they run commands, or do not say what they do.",
    network:
      "These tools of plugins and servers say that they reach the network, or do not say what they do.",
    messages: "These tools of plugins and servers say that they write to people, or do not say what they do.",
    machines: "",
  },
  undeclaredBy: (names: string) =>
    `Tools of plugins and servers that are called unasked do not declare it: ${names}. Their code runs with the rights of the host; Haft does not check what it does.`,
  nodes: (names: string) =>
    `The tool node_invoke has these machines do what was approved for them: ${names}.`,
  noNodes: "No machine is paired.",
  by: (names: string) => `With ${names}`,
  folders: "Folders of its file tools",
  noFolders: "A private folder of the sandbox, which ends with it.",
  notHeld: {
    open: "Commands are not held to these folders.",
    view: "For commands the folders stand above, under “Change files”.",
    sandbox: "Commands see the same folders, as the sandbox mounts them.",
    node: "Commands are held to what that machine allows.",
    elsewhere: "Whether commands are held to these folders is not known here.",
  },
  readWrite: "read and changed",
  readOnly: "read only",
  closed: "Kept from its file tools, whatever the rules say",
  hidden: "Hidden from its commands",
  closedOpen: "Commands can read these files, since nothing contains them.",
  consent: "Changed by its file tools only after a person agreed, whatever the rules say",
  consentOpen: "Commands can change these files, since nothing contains them.",
  asking: "Who is asked",
  approvals: (mode: string, minutes: number) =>
    mode === "deny"
      ? "Nobody: what needs a yes is refused."
      : `What needs a yes waits for a person or for the program that decides, ${minutes} minutes at most.`,
  grants: (number: number) =>
    number === 0
      ? "Nothing was allowed for good."
      : `${plural(number, "thing was", "things were")} allowed for good, and not asked about again.`,
  recorded: "What is written down",
  record: (mode: string) =>
    mode === "none"
      ? "Of calls only how they ended is kept."
      : mode === "full"
        ? "Every call is kept with its arguments and results; known secrets are covered. Of a command only its line and its output are known, not what it did."
        : "Every call is kept with its arguments, and the beginning of its result; known secrets are covered. Of a command only its line and its output are known, not what it did.",
  undo: "Changes that file tools made can be put back. What commands, plugins and nodes change cannot.",
  noUndo: "Changes cannot be put back.",
  audit: "An audit log is written as well.",
  allTools: (number: number) => `Its ${plural(number, "tool", "tools")}`,
  missing: (number: number) =>
    `${plural(number, "more tool is", "more tools are")} installed, and not offered to it.`,
  guarded: {
    title: (client: string) => `What Haft knows of ${client}`,
    about: (client: string, key: string) =>
      `${client} runs the session ${key} itself, with its own tools. It asks Haft before a call.`,
    can: "What it can do",
    canText: (client: string) =>
      `Haft does not know. ${client} has its own tools, rules, questions and sandbox, and its commands run as the user who started it. A call that Haft does not deny is decided by ${client}.`,
    sees: "What Haft sees",
    seesText: (client: string, folder: string) =>
      `The calls that ${client} asks its hook about, with their arguments, before they run. The last one was in ${folder}.`,
    asked: (calls: number) => `Of the newest ${plural(calls, "call", "calls")} of this session:`,
    tool: (calls: number, denied: number, waiting: number) =>
      [
        plural(calls, "call", "calls"),
        denied === 0 ? "" : `${denied} denied`,
        waiting === 0 ? "" : `${waiting} waiting`,
      ]
        .filter(Boolean)
        .join(", "),
    blind: "What Haft does not see",
    blindText: (client: string) =>
      `What becomes of a call that ${client} was let make, its result, and what its programs do. Calls that ${client} makes without asking its hook.`,
    keeps: "What Haft keeps",
    keepsText:
      "Each question and its answer, in the audit log, with the arguments; known secrets are covered. Results are not kept.",
    cannot: "What Haft cannot do",
    cannotText: (client: string) =>
      `Put changes back, contain commands, stop a call that runs, or play the session again: ${client} runs all of it.`,
  },
} as const;
