import { isNodeTooOld, MIN_NODE_VERSION } from "@haft/host/internal/minimum-node";
import type { Command } from "./usage.ts";

/** Loads commands on demand for a fast `haft --help`. */
export const commands: Readonly<Record<string, (words?: readonly string[]) => Promise<Command>>> = {
  tools: async () => (await import("./tools/tools.ts")).toolsCommand,
  explain: async () => (await import("./explain/explain.ts")).explainCommand,
  run: async () => (await import("./run/run.ts")).runCommand,
  serve: async (words = []) =>
    // The inspector needs the host of its own imports, but the bundle contains copies.
    words.some((word) => word === "--inspect" || word.startsWith("--inspect="))
      ? (await import("./serve/serve.ts")).serveCommand
      : (await import("./serve/serve-program.ts")).serveProgram,
  chat: async () => (await import("./chat/chat.ts")).runChatCommand,
  inspect: async () => (await import("./inspect/inspect.ts")).inspectCommand,
  undo: async () => (await import("./undo/undo.ts")).undoCommand,
  policy: async () => (await import("./policy/policy.ts")).policyCommand,
  sandbox: async () => (await import("./sandbox/sandbox.ts")).sandboxCommand,
  config: async () => (await import("./config/config.ts")).configCommand,
  plugins: async () => (await import("./plugins/plugins.ts")).pluginsCommand,
  mcp: async () => (await import("./mcp/mcp.ts")).mcpCommand,
  nodes: async () => (await import("./nodes/nodes.ts")).nodesCommand,
  approvals: async () => (await import("./approvals/approvals.ts")).approvalsCommand,
  guard: async () => (await import("./guard/guard.ts")).guardCommand,
  ledger: async () => (await import("./ledger/ledger.ts")).ledgerCommand,
};

const usage = () => import("./usage.ts");

const help = `haft: the tools of AI agents, in one place

  haft tools                       list the tools of a session, and why others are missing; call, patch
  haft explain write '{"path":…}'  show which rule decides about a call, and how to change the decision
  haft run                         answer tool calls from standard input, one line each
  haft serve                       serve the tools to a coding agent over MCP
  haft chat                        talk with a model that has these tools; -p for one answer
  haft inspect                     serve a local page: sessions, approvals, policy, ledger; --act decides
  haft undo last --to CALL         restore files to the state before a call, or revert one change
  haft policy check policy.yaml    find mistakes in rules; test, schema, import
  haft config init                 write a first configuration; show, check, schema, trust
  haft plugins add NAME            add tools; update, remove, list, info, why, check, manifest
  haft mcp add NAME -- COMMAND     add the tools of an MCP server; review, list, effects, import
  haft sandbox doctor              show which sandboxes work here; list, prune, explain, restore
  haft approvals                   list calls that wait for your decision; answer, grants, revoke, --watch
  haft nodes                       call commands of other machines, and offer tools of this machine
  haft guard install claude        apply one policy to other coding agents; status, log, try, uninstall
  haft ledger                      list calls and decisions; show, export a page, replay, forget

haft help COMMAND, or haft COMMAND --help, explains a command. --version prints the version.
--completions bash (zsh, fish) prints a script for your shell that completes commands with the tab key.

Try:
  haft tools --all
  haft tools call read '{"path":"README.md"}'
  haft explain write --session group
  haft --plugin ./src/index.ts`;

/**
 * Runs one command line. With `--json`, errors also go to standard output as one line.
 *
 * @param beforeLoading runs before a command's code loads
 * @returns 0 for success, 1 for failure, 2 for wrong usage, 128 plus the signal number after a signal
 */
export async function runCommandLine(args: string[], beforeLoading?: () => void): Promise<number> {
  try {
    return await dispatch(args, beforeLoading);
  } catch (thrown) {
    const { reportError, wantsJson } = await import("./report-error.ts");
    return reportError(thrown, wantsJson(args));
  }
}

async function dispatch(args: string[], beforeLoading?: () => void): Promise<number> {
  if (isNodeTooOld()) {
    console.error(`haft: this is Node ${process.versions.node}; Haft needs ${MIN_NODE_VERSION} or newer.`);
    return 1;
  }
  const { bun, deno } = process.versions as { bun?: string; deno?: string };
  if (bun !== undefined || deno !== undefined) {
    const engine = bun === undefined ? `Deno ${deno}` : `Bun ${bun}`;
    console.error(`haft: this is ${engine}; the command needs Node ${MIN_NODE_VERSION} or newer.`);
    return 1;
  }
  const [name, ...rest] = withCommand(args);
  if (name === undefined) {
    console.error(help);
    return 2;
  }
  const subjects = name === "help" ? await helpWords(rest) : [];
  const isAboutAll = subjects.length === 0 || (subjects.length === 1 && subjects[0] === "help");
  if (name === "--help" || name === "-h" || (name === "help" && isAboutAll)) {
    console.log(help);
    return 0;
  }
  if (name === "--version" || name === "-v") return showVersion(rest.includes("--json"));
  if (name === "--completions" || name === "--complete") return showCompletions(name, rest);
  const [commandName = name, action, ...more] = subjects;
  const load = Object.hasOwn(commands, commandName) ? commands[commandName] : undefined;
  if (!load) throw (await usage()).noSuchCommand(commandName, [...Object.keys(commands), "help"]);
  if (more.length > 0)
    throw new (await usage()).UsageError(
      `haft help explains one action at a time; got "${more[0]}" as well.`,
    );
  beforeLoading?.();
  const command = await load(rest);
  if (name !== "help" && !wantsHelp(rest)) return command.run(rest, name);
  const { formatHelp } = await import("./help/format-help.ts");
  const ofAction = name === "help" ? action : rest.find((word) => Object.hasOwn(command.actions ?? {}, word));
  console.log(formatHelp(command, commandName, ofAction));
  return 0;
}

async function showCompletions(name: string, words: readonly string[]): Promise<number> {
  const { complete, SCRIPTS } = await import("./help/complete.ts");
  if (name === "--complete") {
    const abouts = [...help.matchAll(/^ {2}haft ([a-z]+).*? {2,}(\S.*)$/gm)].map(
      ([, command, about]) => [command!, about!] as const,
    );
    process.stdout.write(await complete(words, { load: commands, abouts: new Map(abouts) }));
    return 0;
  }
  const { parseChoice } = await usage();
  const shells = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
  process.stdout.write(SCRIPTS[parseChoice("--completions", words.join(" "), shells)]);
  return 0;
}

async function helpWords(rest: readonly string[]): Promise<string[]> {
  const known = ["--help", "-h", "--json"];
  const foreign = rest.find((word) => word.startsWith("-") && !known.includes(word));
  if (foreign !== undefined)
    throw new (await usage()).UsageError(`haft help has no option ${foreign}.\nSee haft --help.`);
  return rest.filter((word) => !word.startsWith("-"));
}

/** Moves `--plugin FILE` behind the command. Default command: `haft tools`. */
function withCommand(args: readonly string[]): string[] {
  let end = 0;
  while (args[end] === "--plugin" || args[end]?.startsWith("--plugin=") === true)
    end += args[end] === "--plugin" ? 2 : 1;
  if (end === 0) return [...args];
  const [name = "tools", ...rest] = args.slice(end);
  return [name, ...args.slice(0, end), ...rest];
}

function wantsHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const options = end < 0 ? words : words.slice(0, end);
  return options.includes("--help") || options.includes("-h");
}

async function showVersion(asJson: boolean): Promise<number> {
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const { version } = manifest;
  console.log(asJson ? JSON.stringify({ version, node: process.versions.node }) : version);
  return 0;
}
