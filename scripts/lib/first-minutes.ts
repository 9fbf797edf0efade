import type { Step } from "./terminal-recorder.ts";

export interface Manager {
  name: "npm" | "pnpm";
  /** Returns the command that installs tarballs into the current folder. */
  install: (...packages: string[]) => string;
  /** Returns the command that runs the folder's haft. */
  haft: string;
}

export const file = (name: string, text: string): string => `cat > ${name} <<'END'\n${text.trim()}\nEND`;

/** Plays a user who needs one tool. */
export function consumer({ install }: Manager): Step[] {
  const said = (what: string, program: string, shows: RegExp[]): Step[] => [
    { title: `${what}: the program`, type: file("tools.mjs", program) },
    { title: what, type: "node tools.mjs", shows },
  ];
  return [
    {
      title: "An empty folder",
      type: "mkdir consumer && cd consumer && echo '{ \"private\": true }' > package.json",
    },
    { title: "One install", type: install("@haft/tools-fs") },
    ...said(
      "One tool, two lines",
      `import { createFileTools } from "@haft/tools-fs";
console.log(await createFileTools({ root: process.cwd() }).read.call({ path: "package.json", limit: 3 }));`,
      [/kind: 'ok'/, /private/],
    ),
    ...said(
      "A path that is wrong",
      `import { createFileTools } from "@haft/tools-fs";
const tools = createFileTools({ root: process.cwd() });
for (const path of ["pakage.json", "../outside", "/etc/passwd"]) {
  const { kind, code, content } = await tools.read.call({ path });
  console.log(kind, code, content[0].text);
}`,
      [/FILE_NOT_FOUND.*package\.json/s, /OUTSIDE_WORKSPACE/],
    ),
    { title: "Commands, too", type: install("@haft/tools-exec") },
    ...said(
      "A command",
      `import { createExecTools } from "@haft/tools-exec";
const tools = createExecTools({ root: process.cwd() });
const { kind, content } = await tools.exec.call({ command: "ls && exit 3" });
console.log(kind, content[0].text);
await tools.close();`,
      [/ok[^]*package\.json[^]*3/],
    ),
  ];
}

/** Plays a developer of an agent. */
export function host({ install }: Manager): Step[] {
  return [
    {
      title: "An empty folder",
      type: "mkdir host && cd host && echo '{ \"private\": true }' > package.json",
    },
    { title: "One install", type: install("haft") },
    {
      title: "A host with a policy: the program",
      type: file(
        "host.mjs",
        `import { createHost } from "haft";
const policy = { deny: ["bash"], ask: ["write(path:docs/**)"], exec: { preset: "careful", allow: ["ls*"] } };
const host = await createHost({ workspaceDir: process.cwd(), policy, approvalMode: "deny", stateDir: false });
const session = await host.openSession({ kind: "main" });
console.log(session.tools().map(({ name }) => name).join(" "));
const calls = [
  { name: "write", arguments: { path: "notes.txt", content: "hello" } },
  { name: "write", arguments: '{"path":"docs/a.md","content":"hello"}' },
  { name: "exec", arguments: { command: "ls *.txt" } },
  { name: "exec", arguments: { command: "curl example.com" } },
  { name: "bash", arguments: { script: "ls" } },
];
for (const call of calls) {
  const { kind, code = "", content, receipt } = await session.call(call);
  console.log(call.name, kind, code, receipt, "|", content[0].text.split("\\n")[0]);
}
await host.close();`,
      ),
    },
    {
      title: "What it may do, and what not",
      type: "node host.mjs",
      shows: [
        /write ok {2}committed/,
        /write blocked/,
        /exec ok[^\n]*notes\.txt/,
        /exec blocked/,
        /bash blocked/,
      ],
    },
    { title: "Nothing else was written", type: "ls", shows: [/notes\.txt/], hides: [/docs/] },
  ];
}

/** Each step is a line of the command. */
export function createStepBuilder({ haft }: Manager) {
  return (title: string, words: string, more: Partial<Step> = {}): Step => ({
    title,
    type: `${haft} ${words}`,
    ...more,
  });
}

/** Plays an operator of agents' rights. */
export function operator(manager: Manager): Step[] {
  const { install, haft } = manager;
  const run = createStepBuilder(manager);
  return [
    {
      title: "An empty folder",
      type: "mkdir operator && cd operator && echo '{ \"private\": true }' > package.json",
    },
    { title: "One install", type: install("haft") },
    run("Which version", "--version", { shows: [/^\S*\d+\.\d+\.\d+/m] }),
    run("A slip", "toosl", { exit: 2, shows: [/Did you mean tools/] }),
    run("Help with one command", "help tools patch", {
      shows: [/^haft tools patch/m, /--format/, /Exit codes/],
    }),
    run("A first configuration, after three questions", "config init", {
      answers: [
        [/1\. How should[^]*> /, "careful\r"],
        [/2\. Which hosts[^]*> /, "\r"],
        [/3\. Which folders[^]*> /, "\r"],
      ],
      shows: [/Wrote .*haft\.config\.yaml/],
    }),
    run("It is not written twice", "config init --yes", { exit: 1, shows: [/exists already/] }),
    { title: "What it says", type: "cat ~/.config/haft/haft.config.yaml", shows: [/preset: careful/] },
    run("It is right", "config check ~/.config/haft/haft.config.yaml", { shows: [/no problems/] }),
    run("Which tools an agent gets", "tools", { shows: [/Tools of a main session:[^]*read/] }),
    run("And in a group", "tools --session group", { shows: [/Missing:[^]*write[^]*To have it/] }),
    run("Why", `explain exec '{"command":"git push"}'`, {
      exit: 1,
      shows: [/needs approval[^]*Checked, in order/],
    }),
    run("One call", `tools call write '{"path":"notes.txt","content":"hello"}'`, { shows: [/haft undo/] }),
    run("A call that fails", `tools call read '{"path":"note.txt"}'`, { exit: 1, shows: [/notes\.txt/] }),
    run("A command that takes a while, on a list", `tools call exec '{"command":"git log --oneline"}'`, {
      shows: [/not a git repository|fatal/],
    }),
    run(
      "One that is not on it",
      `tools call exec '{"command":"for i in 1 2 3; do echo step $i; sleep 1; done"}'`,
      {
        answers: [[/\[n\]o +> /, "y\r"]],
        shows: [/step 1\n[^]*step 2\n[^]*step 3\n/],
        hides: [/exec · /],
      },
    ),
    run("What can be taken back", "undo", { shows: [/A notes\.txt {2}\+1 -0/] }),
    {
      title: "Take it back",
      type: (before) => `${haft} undo ${/^(\S{10,}) {2}/m.exec(before)?.[1] ?? "?"}`,
      shows: [/Reverted 1 file/],
    },
    { title: "It is gone", type: "ls", hides: [/notes\.txt/] },
    run("Where each setting comes from", "config show", {
      shows: [/policy\.exec\.preset.*careful.*haft\.config\.yaml/],
    }),
    run("For programs", "undo --json", { shows: [/^\{"changes":\[/m] }),
    {
      title: "Completions",
      type: `source <(${haft} --completions bash); complete -p haft`,
      shows: [/_haft haft/],
    },
  ];
}
