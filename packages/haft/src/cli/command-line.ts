import type { Command } from "./usage.ts";

/** Commands load when they are asked for: `haft --help` should not pay for what it does not run. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  tools: async () => (await import("./tools/tools.ts")).toolsCommand,
  call: async () => (await import("./call/call.ts")).callCommand,
  explain: async () => (await import("./explain/explain.ts")).explainCommand,
  run: async () => (await import("./run/run.ts")).runCommand,
  patch: async () => (await import("./patch/patch.ts")).patchCommand,
  policy: async () => (await import("./policy/policy.ts")).policyCommand,
  sandbox: async () => (await import("./sandbox/sandbox.ts")).sandboxCommand,
  config: async () => (await import("./config/config.ts")).configCommand,
  plugins: async () => (await import("./plugins/plugins.ts")).pluginsCommand,
  approvals: async () => (await import("./approvals/approvals.ts")).approvalsCommand,
};

const help = `haft: the tools of AI agents, in one place

  haft tools                       what a session sees, and why other tools are missing
  haft explain write '{"path":…}'  which rule decides about a call, and what would change it
  haft call read '{"path":…}'      run one call and print its result
  haft run                         answer tool calls from standard input, one line each
  haft patch < changes.patch       apply a patch, all or nothing; --dry-run, --undo
  haft policy check policy.yaml    find mistakes; test, matrix (text or picture), schema
  haft config show                 where each setting came from; check, schema
  haft plugins add NAME            more tools: remove, list, info, why they are missing, check your own
  haft sandbox doctor              which sandboxes work here; list, prune, explain
  haft approvals                   what waits for your decision; answer, grants, revoke, --watch

Every command explains itself: haft COMMAND --help. --version prints the version.

Try:
  haft tools --all
  haft explain write --session group
  echo '{"name":"read","arguments":{"path":"README.md"}}' | haft run`;

/** Older ones lack what Haft calls, and would say so somewhere in the middle. */
const OLDEST_NODE = [22, 18] as const;

/**
 * Runs one command line and says what went wrong on standard error.
 *
 * @param beforeLoading called before the code of a command is loaded
 * @returns the exit code: 0 when all is well, 1 when not, 2 for wrong usage
 */
export async function runCommandLine(args: string[], beforeLoading?: () => void): Promise<number> {
  try {
    return await dispatch(args, beforeLoading);
  } catch (thrown) {
    const [{ HaftError }, { UsageError }] = await Promise.all([import("@haft/core"), import("./usage.ts")]);
    if (thrown instanceof UsageError) {
      console.error(`haft: ${thrown.message}`);
      return 2;
    }
    if (!HaftError.is(thrown)) throw thrown;
    console.error(
      `haft: ${thrown.message}${thrown.fix === undefined ? "" : `\n${thrown.fix}`} [${thrown.code}]`,
    );
    return 1;
  }
}

async function dispatch(args: string[], beforeLoading?: () => void): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    console.error(
      `haft: this is Node ${process.versions.node}; Haft needs ${OLDEST_NODE.join(".")} or newer.`,
    );
    return 1;
  }
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    console.log(help);
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
    console.log(manifest.version);
    return 0;
  }
  const load = commands[name];
  if (!load) {
    const { noSuchCommand } = await import("./usage.ts");
    throw noSuchCommand(name, Object.keys(commands));
  }
  beforeLoading?.();
  const command = await load();
  if (rest.includes("--help") || rest.includes("-h")) {
    console.log(command.help);
    return 0;
  }
  return command.run(rest, name);
}
