import { isTooOld, OLDEST_NODE } from "../host/oldest-node.ts";
import type { Command } from "./usage.ts";

/** Commands load when they are asked for: `haft --help` should not pay for what it does not run. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  tools: async () => (await import("./tools/tools.ts")).toolsCommand,
  call: async () => (await import("./call/call.ts")).callCommand,
  explain: async () => (await import("./explain/explain.ts")).explainCommand,
  run: async () => (await import("./run/run.ts")).runCommand,
  serve: async () => (await import("./serve/serve-program.ts")).serveProgram,
  chat: async () => (await import("./chat/chat.ts")).chatCommand,
  inspect: async () => (await import("./inspect/inspect.ts")).inspectCommand,
  patch: async () => (await import("./patch/patch.ts")).patchCommand,
  undo: async () => (await import("./undo/undo.ts")).undoCommand,
  policy: async () => (await import("./policy/policy.ts")).policyCommand,
  sandbox: async () => (await import("./sandbox/sandbox.ts")).sandboxCommand,
  config: async () => (await import("./config/config.ts")).configCommand,
  plugins: async () => (await import("./plugins/plugins.ts")).pluginsCommand,
  mcp: async () => (await import("./mcp/mcp.ts")).mcpCommand,
  trust: async () => (await import("./trust/trust.ts")).trustCommand,
  nodes: async () => (await import("./nodes/nodes.ts")).nodesCommand,
  node: async () => (await import("./node/node.ts")).nodeCommand,
  approvals: async () => (await import("./approvals/approvals.ts")).approvalsCommand,
  guard: async () => (await import("./guard/guard.ts")).guardCommand,
  ledger: async () => (await import("./ledger/ledger.ts")).ledgerCommand,
  init: async () => (await import("./init/init.ts")).initCommand,
  completions: async () => (await import("./completions/completions.ts")).completionsCommand(commands),
};

const help = `haft: the tools of AI agents, in one place

  haft tools                       what a session sees, and why other tools are missing
  haft explain write '{"path":…}'  which rule decides about a call, and what would change it
  haft call read '{"path":…}'      run one call and print its result
  haft run                         answer tool calls from standard input, one line each
  haft serve                       serve the tools to a coding agent, over MCP
  haft chat                        talk with a model that has these tools; -p for one answer
  haft inspect                     a local page: sessions, approvals, policy, ledger; --act decides
  haft patch < changes.patch       apply a patch, all or nothing; --dry-run, --list, --undo
  haft undo last --to CALL         files as they were before a call of a session; --dry-run
  haft policy check policy.yaml    find mistakes; test, matrix (text or picture), schema
  haft config show                 where each setting came from; check, schema
  haft plugins add NAME            more tools: remove, list, info, why they are missing, check your own
  haft mcp add NAME -- COMMAND     tools of an MCP server; review what it changed, list, effects, import
  haft trust                       let a workspace's configuration do more than tighten; list, show, revoke
  haft sandbox doctor              which sandboxes work here; list, prune, explain
  haft approvals                   what waits for your decision; answer, grants, revoke, --watch
  haft nodes                       other machines that agents may call; find, pair, approve, revoke
  haft node start                  let agents on other machines call tools of this one; pair, show, hosts
  haft guard install claude        one policy for other coding agents: status, log, try, uninstall
  haft ledger                      what was called and decided; show, export a page, replay, forget
  haft init                        write a first configuration after three questions
  haft completions bash            what a shell completes when you press tab; zsh, fish

Every command explains itself: haft help COMMAND, or haft COMMAND --help. --version prints the version.

Try:
  haft tools --all
  haft explain write --session group
  haft --plugin ./src/index.ts
  echo '{"name":"read","arguments":{"path":"README.md"}}' | haft run`;

/**
 * Runs one command line. What was asked for goes to standard output, and what went wrong to standard error; with `--json`
 * also as a line on standard output.
 *
 * @param beforeLoading called before the code of a command is loaded
 * @returns the exit code: 0 when all is well, 1 when not, 2 for wrong usage, 128 and its number when a signal ended it
 */
export async function runCommandLine(args: string[], beforeLoading?: () => void): Promise<number> {
  try {
    return await dispatch(args, beforeLoading);
  } catch (thrown) {
    const { tellError, wantsJson } = await import("./tell-error.ts");
    return tellError(thrown, wantsJson(args));
  }
}

async function dispatch(args: string[], beforeLoading?: () => void): Promise<number> {
  if (isTooOld()) {
    console.error(`haft: this is Node ${process.versions.node}; Haft needs ${OLDEST_NODE} or newer.`);
    return 1;
  }
  const { bun, deno } = process.versions as { bun?: string; deno?: string };
  if (bun !== undefined || deno !== undefined) {
    const engine = bun === undefined ? `Deno ${deno}` : `Bun ${bun}`;
    console.error(`haft: this is ${engine}; the command needs Node ${OLDEST_NODE} or newer.`);
    return 1;
  }
  const [name, ...rest] = withCommand(args);
  if (name === undefined) {
    console.error(help);
    return 2;
  }
  const asked = name === "help" ? await helpWords(rest) : [];
  const isAboutAll = asked.length === 0 || (asked.length === 1 && asked[0] === "help");
  if (name === "--help" || name === "-h" || (name === "help" && isAboutAll)) {
    console.log(help);
    return 0;
  }
  if (name === "--version" || name === "-v") return showVersion(rest.includes("--json"));
  const [commandName = name, action, ...more] = asked;
  const load = Object.hasOwn(commands, commandName) ? commands[commandName] : undefined;
  if (!load) {
    const { noSuchCommand } = await import("./usage.ts");
    throw noSuchCommand(commandName, [...Object.keys(commands), "help"]);
  }
  if (more.length > 0) {
    const { UsageError } = await import("./usage.ts");
    throw new UsageError(`haft help is about one action at a time; got "${more[0]}", too.`);
  }
  beforeLoading?.();
  const command = await load();
  if (name !== "help" && !wantsHelp(rest)) return command.run(rest, name);
  const { helpOf } = await import("./help/help-of.ts");
  const ofAction = name === "help" ? action : rest.find((word) => Object.hasOwn(command.actions ?? {}, word));
  console.log(helpOf(command, commandName, ofAction));
  return 0;
}

/** What help is wanted about. There is nothing of it for programs but what is wrong. */
async function helpWords(rest: readonly string[]): Promise<string[]> {
  const known = ["--help", "-h", "--json"];
  const foreign = rest.find((word) => word.startsWith("-") && !known.includes(word));
  if (foreign !== undefined) {
    const { UsageError } = await import("./usage.ts");
    throw new UsageError(`haft help has no option ${foreign}.\nSee haft --help.`);
  }
  return rest.filter((word) => !word.startsWith("-"));
}

/** `haft --plugin FILE` shows what a plugin brings; in front of a command it is an option of that. */
function withCommand(args: readonly string[]): string[] {
  let end = 0;
  while (args[end] === "--plugin" || args[end]?.startsWith("--plugin=") === true)
    end += args[end] === "--plugin" ? 2 : 1;
  if (end === 0) return [...args];
  const [name = "tools", ...rest] = args.slice(end);
  return [name, ...args.slice(0, end), ...rest];
}

/** What stands behind `--` is for somebody else. */
function wantsHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

async function showVersion(asJson: boolean): Promise<number> {
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const { version } = manifest;
  console.log(asJson ? JSON.stringify({ version, node: process.versions.node }) : version);
  return 0;
}
