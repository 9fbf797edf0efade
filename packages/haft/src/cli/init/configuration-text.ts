import type { SandboxSettings } from "@haft/config";
import { homedir } from "node:os";

export const COMMANDS = ["contained", "careful", "free"] as const;

export interface UserAnswers {
  commands: (typeof COMMANDS)[number];
  network: NonNullable<SandboxSettings["network"]>;
  /** Paths are absolute. */
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
      "# The configuration of the haft command, and of programs that read it.",
      "# haft config show prints the source of each value, haft config check FILE prints problems.",
    ],
    ["policy:", ...indented([...execLines(commands, network), ...POLICY_HINTS])],
    rootLines(roots),
    [
      "# The sandbox of sessions with many senders (haft … --session sandboxed), and its network.",
      `sandbox: { backend: auto, network: ${networkText(network, "allow")} }`,
    ],
    ["# The default model; its context window sets page sizes.", "# model: { contextTokens: 200000 }"],
  );
}

export function formatProjectConfiguration(
  { commands, deny }: { commands: "careful" | "free"; deny: readonly string[] },
  schema: string | undefined,
): string {
  const isCareful = commands === "careful";
  const lines = [
    `# Listed commands run${isCareful ? ";" : ","} all others need approval${isCareful ? "." : ":"}`,
    `${isCareful ? "" : "# "}exec: { preset: careful, allow: ${listText(FIRST_ALLOWED)} }`,
    `# Always denied, regardless of other rules${deny.length > 0 ? "." : ":"}`,
    deny.length > 0 ? `deny: ${listText(deny)}` : "# deny: [bash, group:fs(path:**/.env)]",
  ];
  // A key without a value is invalid.
  const isEmpty = !isCareful && deny.length === 0;
  return joined(
    schemaLine(schema),
    [
      "# Rules for the sessions of agents in this workspace. Any author of this repository can write them,",
      "# so they only tighten the rules of each user.",
    ],
    isEmpty ? ["policy: {}", ...lines] : ["policy:", ...indented(lines)],
  );
}

const POLICY_HINTS = [
  "# Tools that need approval, or that are denied; see haft policy --help:",
  "# ask: [write, edit]",
  "# deny: [effect:network]",
];

function execLines(commands: UserAnswers["commands"], network: UserAnswers["network"]): string[] {
  switch (commands) {
    case "contained":
      return [
        "# Commands can write only to the workspace, a private temporary folder and caches, and need approval to",
        "# run outside. network: none, full, or a list of hosts.",
        `exec: { preset: contained, network: ${networkText(network)} }`,
      ];
    case "careful":
      return [
        "# Listed commands run; all others need approval.",
        `exec: { preset: careful, allow: ${listText(FIRST_ALLOWED)} }`,
      ];
    case "free":
      return [
        "# Every command runs, with the rights of the user who started the agent. contained and careful are stricter.",
        "exec: { security: full }",
      ];
  }
}

function rootLines(roots: UserAnswers["roots"]): string[] {
  const all = Object.entries(roots);
  const about = "# More folders, addressed as NAME:path; ro is read-only, rw is writable.";
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

/** Empty lines join paragraphs, except after the schema line. */
function joined(
  first: readonly string[],
  second: readonly string[],
  ...rest: readonly (readonly string[])[]
): string {
  return `${[[...first, ...second], ...rest].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}
