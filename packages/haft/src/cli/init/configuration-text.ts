import type { SandboxSettings } from "@haft/config";
import { homedir } from "node:os";

export const COMMANDS = ["contained", "careful", "free"] as const;

export interface UserAnswers {
  commands: (typeof COMMANDS)[number];
  network: NonNullable<SandboxSettings["network"]>;
  /** Contains absolute paths. */
  roots: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
}

const SCHEMA_LINE = "# yaml-language-server: $schema=";

const FIRST_ALLOWED = ["git status*", "git diff*", "git log*"];

export function formatUserConfiguration(
  { commands, network, roots }: UserAnswers,
  schema: string | undefined,
): string {
  return joined(
    schemaLine(schema),
    [
      "# What the haft command, and programs that ask for a configuration, start with.",
      "# haft config show says where each value came from, haft config check FILE what is wrong.",
    ],
    ["policy:", ...indented([...execLines(commands, network), ...POLICY_HINTS])],
    rootLines(roots),
    [
      "# What sessions of many senders (haft … --session sandboxed) work in, and what they reach.",
      `sandbox: { backend: auto, network: ${networkText(network, "allow")} }`,
    ],
    [
      "# The model of sessions that name none; page sizes follow its context.",
      "# model: { contextTokens: 200000 }",
    ],
  );
}

export function formatProjectConfiguration(
  { commands, deny }: { commands: "careful" | "free"; deny: readonly string[] },
  schema: string | undefined,
): string {
  const isCareful = commands === "careful";
  const lines = [
    `# Listed commands run${isCareful ? ";" : ","} all others are asked about${isCareful ? "." : ":"}`,
    `${isCareful ? "" : "# "}exec: { preset: careful, allow: ${listText(FIRST_ALLOWED)} }`,
    `# Never called, whatever other rules say${deny.length > 0 ? "." : ":"}`,
    deny.length > 0 ? `deny: ${listText(deny)}` : "# deny: [bash, group:fs(path:**/.env)]",
  ];
  // A key without a value is invalid.
  const isEmpty = !isCareful && deny.length === 0;
  return joined(
    schemaLine(schema),
    [
      "# Rules for the sessions of agents in this workspace. Everybody who wrote this repository could have",
      "# written them, so they only tighten what each user allows.",
    ],
    isEmpty ? ["policy: {}", ...lines] : ["policy:", ...indented(lines)],
  );
}

const POLICY_HINTS = [
  "# Asked about before each call, or never called; haft policy --help has more:",
  "# ask: [write, edit]",
  "# deny: [effect:network]",
];

function execLines(commands: UserAnswers["commands"], network: UserAnswers["network"]): string[] {
  switch (commands) {
    case "contained":
      return [
        "# Commands write in the workspace, in a temporary folder of their own and in caches, and nowhere else;",
        "# what leaves that is asked about. network: none, full, or the hosts they reach.",
        `exec: { preset: contained, network: ${networkText(network)} }`,
      ];
    case "careful":
      return [
        "# Listed commands run; all others are asked about.",
        `exec: { preset: careful, allow: ${listText(FIRST_ALLOWED)} }`,
      ];
    case "free":
      return [
        "# Every command runs, with the rights of whoever started the agent. contained and careful are stricter.",
        "exec: { security: full }",
      ];
  }
}

function rootLines(roots: UserAnswers["roots"]): string[] {
  const all = Object.entries(roots);
  const about = "# More folders, addressed as NAME:path; ro is read-only, rw is not.";
  if (all.length === 0) return [about, "# roots: { docs: { path: ~/docs, access: ro } }"];
  const lines = all.map(
    ([name, { path, access }]) => `${name}: { path: ${scalar(fromHome(path))}, access: ${access} }`,
  );
  return [about, "roots:", ...indented(lines)];
}

function networkText(network: UserAnswers["network"], key?: string): string {
  if (typeof network === "string") return network;
  const list = listText(network.allow);
  return key === undefined ? list : `{ ${key}: ${list} }`;
}

function fromHome(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function listText(words: readonly string[]): string {
  return `[${words.map(scalar).join(", ")}]`;
}

function scalar(text: string): string {
  return /^[A-Za-z][\w./-]*$|^~\/[\w./-]+$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

function schemaLine(schema: string | undefined): string[] {
  return schema === undefined ? [] : [`${SCHEMA_LINE}${schema}`];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** Joins paragraphs with empty lines, except after the schema line. */
function joined(
  first: readonly string[],
  second: readonly string[],
  ...rest: readonly (readonly string[])[]
): string {
  return `${[[...first, ...second], ...rest].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}
