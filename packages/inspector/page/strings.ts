import type { RiskMark } from "@haft/core/kernel";
import type { Stand } from "../src/wire/api.ts";

// Every word of the page, so that another language is another file. What tools and rules say comes from the server as it is.

const plural = (number: number, one: string, many: string) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Words that several views share, and those of the frame. */
export const words = {
  product: "Haft",
  skip: "Skip to the view",
  views: {
    timeline: "Timeline",
    approvals: "Approvals",
    policy: "Policy",
    tools: "Tools",
    processes: "Processes",
    places: "Places",
    ledger: "Ledger",
    owner: "What can it do?",
  },
  navigation: "Views",
  more: "More",
  close: "Close",
  back: "Back",
  retry: "Try again",
  loading: "Loading …",
  nothing: "Nothing here.",
  unreachable: "Haft does not answer.",
  unreachableFix: "Is it still running? This page goes on by itself once it is.",
  theme: { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  keys: "Keys",
  keysTitle: "Everything by keyboard",
  keysMove: "move in a list",
  keysNext: "the next one in the list, from wherever the page is",
  keysBefore: "the one before it",
  keysOpen: "open what is chosen",
  keysTheme: "another theme",
  keysHelp: "this list",
  keysGo: (view: string) => `go to ${view}`,
  keysBack: "back, or close",
  role: { look: "Looks only", act: "May decide" },
  roleLook: "This page was opened with a token that only looks. To decide here, start it with --act.",
  connection: {
    connecting: "Connecting …",
    live: "Live",
    lost: "Connection lost, trying again …",
    "catching-up": "Connection lost — catching up …",
    refused: "Token not accepted",
  },
  connectionKept: "Follows the store",
  noToken: "This page needs its token",
  noTokenFix: "Open the whole address that haft inspect printed, with everything behind the #.",
  draftsKept: (files: string) =>
    `What you typed and did not save is kept in this tab (${files}): open the new address here.`,
  drafts: (number: number) => plural(number, "file is not saved", "files are not saved"),
  copy: "Copy",
  copied: "Copied",
  notCopied: "This browser does not let the page copy.",
  calls: (number: number) => plural(number, "call", "calls"),
  kind: { main: "main", group: "group", sandboxed: "sandboxed" },
  stand: {
    ok: "it did what was asked",
    error: "it ran, and failed",
    blocked: "it was not allowed to run",
    cancelled: "it was stopped",
    waiting: "it waits for a decision",
    running: "it runs, or whoever ran it died and nobody has looked since",
    interrupted: "whoever ran it died: nobody can say what it did",
    gap: "records of calls that only read may be missing here",
  } satisfies Record<Stand, string>,
  effect: { allow: "allow", ask: "ask", deny: "deny", grant: "needs a grant" },
} as const;

/** What decisions and changes are told with, wherever they are. */
export const common = {
  fix: "To change it:",
  lookedAt: "All that was looked at, in order",
  pass: "pass",
  decides: "decides",
  diff: "Changed lines",
  word: {
    allow: "may be called",
    ask: "each call needs approval",
    grant: "denied until the policy grants it",
    deny: "denied by a rule",
  },
  wordForSome: {
    ask: "some calls need approval, by what they would do",
    grant: "some calls are denied until the policy grants them",
    deny: "some calls are denied, by what they would do",
  },
  moreLines: (number: number) => plural(number, "more line", "more lines"),
} as const;

/** The timeline of calls, and what is seen of one. */
export const timeline = {
  sessions: "Sessions",
  noSessions: "No session yet",
  noSessionsFix:
    "Calls appear here as soon as an agent makes one: in a conversation (haft chat), through haft serve, or past the guard.",
  noSuchSession: "There is no such session",
  noSuchSessionFix: "It was removed, or is in another store than the one that is shown here.",
  justNow: "just now",
  ago: (time: string) => `${time} ago`,
  copyLink: "Copy the address of this call",
  copyArguments: "Copy the arguments",
  copyText: "Copy this text",
  chooseSession: "Choose a session",
  noCalls: "No call yet",
  noCallsFound: "No call fits",
  chooseCall: "Choose a call to see what it was given, what it did, and why it could.",
  state: { live: "open here", held: "open elsewhere", closed: "closed", left: "left behind" },
  stateLeft: "whoever had it is gone and did not close it",
  opened: "opened",
  filter: "Filter calls",
  filterHint: "Words in names, arguments and results",
  anyTool: "Any tool",
  anyOutcome: "Any outcome",
  waiting: (number: number) => `${number} waiting`,
  running: (number: number) => `${number} running`,
  older: "Older sessions",
  newCalls: "Newer calls: show them",
  toEnd: "To the end",
  wide: "Give it all the room, or not",
  duplicate: "the same as an earlier call",
  duplicateShort: "again",
  loop: "stopped: it repeats without getting anywhere",
  loopShort: "loop",
  poll: "looks whether something has changed",
  granted: "let through by what was allowed before",
  grantedShort: "granted",
  undone: "put files back",
  undoneShort: "undo",
  decidedBy: (who: string) => `decided by ${who}`,
  undo: "Put files back …",
  stop: "Stop",
  stopped: "It is told to stop.",
  notStopped: "It has ended already.",
  answerIt: "Answer",
  sections: {
    output: "Output",
    result: "What the model was given",
    arguments: "Arguments",
    changes: "Files",
    plan: "Plan",
    why: "Why",
    facts: "Facts",
    children: "Calls it made",
    details: "Details",
    says: "What it says",
  },
  noArguments: "Its arguments were not kept.",
  noResult: "Its result was not kept.",
  noResultYet: "It has not ended yet.",
  headOnly: (all: string) => `Only the beginning was kept, of ${all}.`,
  asAsked: "as it was asked for",
  diffCut: "More of this change is not shown.",
  whatNow: "What would be decided now",
  facts: {
    call: "Call",
    answeredAs: "Answered as",
    tool: "Tool",
    effects: "Effects",
    heard: "Heard of",
    waited: "Waited",
    ran: "Ran",
    receipt: "Receipt",
    sender: "Sender",
    decidedBy: "Decided by",
    approval: "Approval",
    grants: "Grants",
    parent: "Made by",
    duplicate: "Same as",
    hosts: "Contacted",
    resumed: "Resumed",
    process: "Process",
    source: "Rule",
  },
  receipts: {
    none: "none: it changed nothing",
    committed: "committed: what it changed is done",
    unknown: "unknown: nobody can say what it changed",
  },
  resumed: "it went on after a resume",
  host: "the host itself",
  output: {
    earlier: "Earlier",
    later: "Later",
    end: "End",
    shown: (from: string, to: string, all: string) => `${from} – ${to} of ${all}`,
    dropped: (size: string) => `${size} before this are gone.`,
    headOnly: "Only the beginning of it was kept.",
    nothing: "It printed nothing.",
    terminal: "What it printed, as a terminal shows it",
    follows: "runs, shown as it comes",
    asText: "As text",
    asTerminal: "As a terminal",
    textOf: "What it printed, as text",
  },
  image: (type: string, size: string) => `${type} image, ${size}`,
  imageFailed: "This image cannot be shown.",
  imageTooLarge: (pixels: string) => `${pixels} pixels are too many to be drawn here.`,
} as const;

/** What becomes of files that are put back. */
export const undo = {
  title: (call: string) => `Put files back, as before ${call}`,
  look: "What would happen",
  nothing: "There is nothing to put back.",
  files: (number: number) => plural(number, "file would be put back", "files would be put back"),
  done: (number: number) => plural(number, "file was put back.", "files were put back."),
  conflicts: "In conflict: somebody else changed these since. They are left as they are.",
  notUndone: "Not undone",
  go: "Put back",
  goRest: "Put back the rest",
} as const;

/** The inbox of calls that wait. */
export const approvals = {
  title: (waiting: number) => (waiting === 0 ? "Nothing waits" : plural(waiting, "call waits", "calls wait")),
  begins: (tool: string, waiting: number) =>
    `${tool} waits for an answer.${waiting > 1 ? ` There are ${waiting.toLocaleString("en")} now.` : ""}`,
  none: "Nothing waits for you",
  noneFix: "What needs a yes appears here at once; the title of this tab counts.",
  once: "Allow once",
  always: "Always this call",
  program: "Always this program",
  deny: "Deny",
  asked: (ago: string) => `asked ${ago} ago`,
  expires: (left: string) => `${left} left`,
  expired: "its time is over",
  unattended: "Nobody waits for it just now: the answer is kept for whoever continues the session.",
  resumeWith: "It is continued with",
  noAlways: (why: string) => `Not for good: ${why}`,
  noProgram: (why: string) => `Not the program: ${why}`,
  runs: "What will run",
  wholeCall: "The call in the timeline",
  lately: "Decided lately",
  said: { "allow-once": "allowed once", "allow-always": "allowed for good", deny: "denied" },
  first: (what: string, who: string) => `Somebody was first: ${what}${who === "" ? "" : ` by ${who}`}.`,
  over: {
    open: "open",
    answered: "answered",
    decided: "decided",
    withdrawn: "withdrawn",
    expired: "expired",
    unknown: "over",
  },
  grants: "Allowed for good",
  noGrants: "Nothing is allowed for good.",
  revoke: "Revoke",
  revoked: "Revoked: it is asked about again.",
  used: (times: number) => (times === 0 ? "never used" : `used ${plural(times, "time", "times")}`),
  until: (when: string) => `until ${when}`,
  forGood: "until revoked",
  note: {
    carrier: "Can run anything",
    compound: "Several commands",
    consent: "Others run this",
    deletes: "Deletes",
    device: "Disk",
    elevated: "Beyond its limits",
    ends: "Ends programs",
    history: "Loses work",
    lasting: "Runs again later",
    message: "Writes to people",
    network: "Network",
    node: "Another machine",
    outside: "Leaves its place",
    permissions: "Permissions",
    pipe: "Runs output",
    recursive: "A whole folder",
    secret: "Secrets",
    sends: "Sends data",
    unclear: "Unclear",
    "unknown-effects": "Effects unknown",
  } satisfies Record<RiskMark["kind"], string>,
} as const;

/** Sessions × tools, and the editor of rules. */
export const policy = {
  parts: "Parts of the policy",
  matrix: "Matrix",
  edit: "What if",
  lint: "Warnings",
  mode: (mode: string) => `mode: ${mode}`,
  agent: "Agent",
  anyAgent: "Any agent",
  matrixCaption: "What each kind of session may do with each tool",
  tool: "tool",
  contained: "contained",
  someLegend: "… some calls get this answer, by what they would do",
  inSession: (kind: string) => `in a ${kind} session`,
  behindCell: "Why",
  noLint: "Nothing to warn of",
  meant: (names: string) => `Did you mean ${names}?`,
  goToLine: "Edit",
  line: (line: number) => `line ${line}`,
  noFiles: "There is no file of rules: the built-in table holds",
  file: "File",
  owner: {
    policy: "policy",
    configuration: "configuration",
    administrator: "administrator's",
    workspace: "the workspace's own",
  },
  notEditable: "It is not edited here.",
  save: "Save",
  revert: "Back to the file",
  saved: "Saved.",
  savedInForce: "Saved: its rules hold now.",
  notSaved: "Not saved. This is what would change.",
  draftOf: " — not saved",
  changedOnDisk:
    "Somebody else changed this file after you began to edit it. Nothing of either is lost: choose which one goes on.",
  onDisk: "− in the file now",
  yourText: "+ yours, not saved",
  keepMine: "Go on with mine",
  takeTheirs: "Take the file's",
  bringBack: "Bring mine back",
  lostDraft: "Not saved",
  lostDraftOf: (path: string) =>
    `${path} is not there to be edited any more. What you typed for it is kept here until you put it away.`,
  dropDraft: "Put it away",
  hasErrors: "With these mistakes it cannot be used.",
  wouldChange: "What would change",
  cells: (number: number) => (number === 0 ? "Cells" : plural(number, "cell changes", "cells change")),
  noCells: "No cell says something else. Single calls may: see below.",
  editToSee: "Edit the rules to see which cells change.",
  becomes: "becomes",
  past: "Past calls",
  editToSeePast: "Past calls are decided again as you type; nothing runs.",
  looked: (looked: number, changed: number, unsaid: number) =>
    `${plural(looked, "call", "calls")} looked at, ${changed} would change${unsaid > 0 ? `; of ${unsaid} it cannot be said` : ""}.`,
  stop: "Stop",
  stopped: "Stopped.",
  unsaid: "unknown",
} as const;

/** Tools and where they come from. */
export const tools = {
  parts: "Parts of the tools",
  offered: "Offered",
  missing: "Missing",
  plugins: "Plugins",
  kind: "Kind of session",
  allTokens: (tokens: number) => `about ${tokens.toLocaleString("en")} tokens in all`,
  tokens: (tokens: string) => `about ${tokens} tokens`,
  tokensTitle: "What its definition costs a model, about, in tokens",
  choose: "Choose a tool",
  aboutTool: "What a model is told of it",
  noneMissing: "Nothing is missing: every tool of every plugin is offered",
  diagnostics: "What is wrong",
  builtIn: "came with Haft",
  effects: "Effects",
  effectsUnknown: "unknown: nobody declared them",
  noEffects: "none: it only computes",
  mcp: "MCP server",
  policy: "Policy",
  tryIt: "Call it by hand",
  schema: "Its parameters, as a model is told",
  outputSchema: "What it answers for programs",
  noParameters: "It takes no parameters.",
  required: "needed",
  byDefault: (value: string) => `default: ${value}`,
  notGiven: "not given",
  oneOf: "one of these",
  json: "JSON",
  call: "Call",
  explain: "What would happen?",
  scratch: "Calls run in an empty folder of their own, by the rules of this host.",
  inFolder: (folder: string) => `In ${folder}; it goes when you leave.`,
  details: "Details for programs",
  verdicts: {
    runs: "It would run.",
    asks: "Somebody would be asked.",
    hidden: "Models are not offered it, and a call would be blocked.",
    denied: "It would be refused.",
    "invalid-arguments": "Its arguments would be refused.",
    fails: "What it would do cannot be worked out.",
    loop: "It would be stopped: it repeats without getting anywhere.",
    broken: "The tool could not be made.",
    absent: "Its plugin keeps it out of this session.",
    unknown: "There is no such tool.",
  },
} as const;

/** Commands that run, or ran. */
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
  where: (place: string) =>
    ({
      host: "on this machine",
      view: "contained",
      sandbox: "in a sandbox",
      node: "on another machine",
      unknown: "where it ran is not known",
    })[place] ?? place,
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

/** Amounts by what they are of, with their units. */
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

/** What runs where. */
export const places = {
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
    "Of programs that run elsewhere only their own page tells: haft serve --inspect, haft chat --web.",
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

/** The record of all calls. */
export const ledger = {
  parts: "Parts of the ledger",
  calls: "Calls",
  compare: "Compare",
  path: "File or folder",
  span: "Since when",
  spans: { "": "Any time", hour: "Last hour", day: "Last day", week: "Last week", month: "Last 30 days" },
  shown: (number: string) => `The newest ${number} calls; more as you scroll`,
  export: "Export …",
  exportTitle: "Take a run away as a file",
  run: "Run",
  chooseRun: "Choose a run",
  format: "As",
  formats: { html: "a page to read and to pass on", json: "JSON", jsonl: "JSON, one line for each record" },
  exportNote: "Known secrets are covered. Nothing in the page runs, and it fetches nothing.",
  save: "Save",
  cut: (why: string) => `Not all of it came, and no file was kept: ${why}`,
  came: (mib: string) => `${mib} MiB so far …`,
  left: "Left",
  right: "Right",
  chooseTwo: "Choose two runs of one conversation",
  verdicts: {
    same: "the same",
    differs: "differ",
    unsaid: "unknown",
    "only-a": "only left",
    "only-b": "only right",
  },
  onlyOthers: "Only what is not the same",
  isCut: "Only the first 5,000 calls of each were compared.",
} as const;

/** What an agent can do, for whoever owns it. */
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
