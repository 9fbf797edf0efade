import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "../terminal-recorder.ts";

/** A picture's typed commands in a project. */
export interface Story {
  name: string;
  title: string;
  /** Text for screen readers. */
  altText: string;
  cols: number;
  prepare?: (project: string) => void;
  /** Played before, but not shown. */
  before?: readonly Step[];
  steps: readonly Step[];
  /** Replaces differences between runs, with equal length if columns follow. */
  same?: readonly (readonly [RegExp, string])[];
}

const shown = (type: Step["type"], more: Partial<Step> = {}): Step => ({ title: "shown", type, ...more });

const ID_OF_APPROVAL = [
  // oxlint-disable-next-line no-control-regex -- of a terminal
  /[a-z0-9]{8}(?=(?:\u001b\[[\d;]*m)* {2}(?:\u001b\[[\d;]*m)*exec)/g,
  "ykuffmgf",
] as const;
const KEY_OF_FOLDER = [/(?<=cli:group:)[0-9a-f]{10}/g, "2f1edea134"] as const;
const ID_OF_CHANGE = [/\b0m[a-z0-9]{7}-[0-9a-f]{12}\b/g, "0mh9x1k2p-4d1f5a2b9c07"] as const;
const ID_OF_DECISION = [/(?<=decision {2,})[0-9a-z]{12,14}/g, "0ec5qdgtci6as"] as const;

const CALLS = [
  { name: "write", arguments: { path: "notes.txt", content: "Try another port.\n" } },
  { name: "edit", arguments: { path: "server.js", oldText: "8080", newText: "9090" } },
  { name: "exec", arguments: { command: "ls" } },
];

const PAYLOAD = {
  session_id: "7f3c",
  cwd: "PROJECT",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "npm test && git push" },
};

export const stories: readonly Story[] = [
  {
    name: "tools",
    title: "haft tools",
    altText:
      "A table of tools and kinds of sessions. Files are read in all of them, written in a group only where the policy grants it; commands are asked about there.",
    cols: 60,
    steps: [shown("haft tools --all", { shows: [/write +allow +grant +allow/, /bash +ask +ask +allow/] })],
  },
  {
    name: "explain",
    title: "haft explain",
    altText:
      "Why write is denied in a group session: the rule, the smallest change that would allow it, and everything that was looked at.",
    cols: 102,
    steps: [shown("haft explain write --session group", { exit: 1, shows: [/To change|to change/, /→/] })],
    same: [ID_OF_DECISION],
  },
  {
    name: "approval",
    title: "haft tools call",
    altText:
      "A call of exec in a group session needs approval. The question shows the command, the programs that it would run and the rule; it is answered with yes, and the command runs.",
    cols: 92,
    prepare: (project) => writeFileSync(join(project, "notes.txt"), "Try another port.\n"),
    steps: [
      shown(`haft tools call exec '{"command":"wc -l *.txt"}' --session group`, {
        answers: [[/\[n\]o +> /, "y\r"]],
        shows: [/1 notes\.txt/],
      }),
    ],
    same: [ID_OF_APPROVAL, KEY_OF_FOLDER],
  },
  {
    name: "guard-try",
    title: "haft guard try",
    altText:
      "What a policy says about a command that Claude Code would run: exec of git push needs approval, by which line of the policy, and what would change that.",
    cols: 104,
    prepare: (project) => {
      writeFileSync(
        join(project, "guard.yaml"),
        "deny:\n  - exec(rm -rf *)\n  - write(path:secrets/**)\nask: [exec(git push*)]\n",
      );
      writeFileSync(join(project, "payload.json"), JSON.stringify({ ...PAYLOAD, cwd: project }));
    },
    steps: [
      shown("cat guard.yaml"),
      shown("haft guard try claude --policy guard.yaml < payload.json | head -7", {
        shows: [/decision: ask/],
      }),
    ],
  },
  {
    name: "undo",
    title: "haft undo",
    altText:
      "Everything that a conversation changed since its first call is put back: a file that was made is gone, one that was edited is as before; what a command may have changed is named.",
    cols: 80,
    prepare: (project) => {
      writeFileSync(join(project, "server.js"), "export const port = 8080;\n");
      writeFileSync(join(project, "calls.jsonl"), CALLS.map((call) => `${JSON.stringify(call)}\n`).join(""));
    },
    before: [{ title: "an agent worked", type: "haft run < calls.jsonl > /dev/null; rm calls.jsonl" }],
    steps: [
      shown("cat server.js"),
      shown("haft undo last --to call_1", { shows: [/D notes\.txt/, /M server\.js/] }),
      shown("cat server.js", { shows: [/8080/] }),
    ],
    same: [ID_OF_CHANGE],
  },
];

export function makeProject(home: string): string {
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  return project;
}
