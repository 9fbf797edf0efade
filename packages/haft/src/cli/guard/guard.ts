import { agents } from "@haft/guard";
import { answerHook, readInput, runHook } from "@haft/guard/internal/hook";
import { lazyHookModules } from "@haft/guard/internal/hook-modules";
import { resolve } from "node:path";
import { action, defineCommand, FILE, FLAG, TEXT, UsageError } from "../usage.ts";
import { print } from "../write-out.ts";
import { describeTry } from "./describe-try.ts";

const help = `haft guard install AGENT … [--project] [--policy FILE] [--native] [--watch-only] [--dry-run]
haft guard uninstall [AGENT …] [--project] [--dry-run]
haft guard status [--probe] [--json]
haft guard forget FILE …
haft guard log [--follow] [--file FILE] [--json]
haft guard suggest [--since WHEN] [--policy FILE] [--file FILE] [--out FILE] [--json]
haft guard try AGENT [EVENT] < payload [--policy FILE] [--json]
haft guard hook AGENT [EVENT] [--policy FILE] [--watch-only]

Decides about calls of other coding agents: ${[...agents.keys()].join(", ")}. Their hooks ask before
each call, and one policy answers for all of them. An allowed call continues by the agent's own rules.

install   Adds the hook to the settings of agents, and leaves the other settings as they are. Rejects invalid settings
          and an invalid policy.
uninstall Removes the hook, and restores the previous settings byte for byte. Without AGENT: from all agents.
status    Shows which agents are guarded, by which settings and rules, and gaps that no setting closes; for Codex,
          whether it trusts the hook; and which version of each client is installed and was tried.
forget    Accepts that a rules file that was in force is deleted, so that the guard no longer misses it.
log       Prints requests, decisions and answers from the audit log, or from the log of --watch-only.
suggest   Proposes entries for lists of your rules, from the log: calls that people allowed each time, and calls that
          would have needed approval in watch-only mode. Shows the evidence, and a diff of the file that you can
          apply. Decides all calls of the log again, and counts changed decisions.
          Without rules it proposes a first file.
try       Shows how a payload of an agent's hook is read, the decision and its reason, and the exact answer, by the
          rules that are installed for the agent. Reads the payload from standard input. Asks and stores nothing.
          EVENT is for agents whose payload does not name it.
hook      Runs as the command in an agent's settings, before each call. Answers on standard output. If Haft cannot
          decide, exits with code 2 and a text on standard error, which denies the call.

      --policy FILE   rules instead of those of the operator's configuration; with hook an absolute path; with
                      suggest the file to change
      --watch-only    decide nothing, and write decisions to the audit log of the configuration, or to
                      guard/watched.jsonl of the state folder
      --native        with install: also add native rules of the agent for paths that the rules deny to read, where
                      its hook is not called (claude: files named with @ in a prompt). Later installs keep them and
                      update them to the rules; uninstall removes them
      --project       with install and uninstall: use settings of the current folder, not the user's own
      --dry-run       with install and uninstall: show the changes, and change nothing
      --probe         with status: run the installed hook with a forbidden call, with a harmless call, and with a
                      guard that crashes, prints nothing, or is missing
  -f, --follow        with log: also print new entries
      --file FILE     with log and suggest: another log
      --since WHEN    with suggest: newer entries only, by a span (7d) or a day (2026-11-23)
      --out FILE      with suggest: write only the diff to this file
      --json          print JSON for programs
  -h, --help          print this text

Exit codes: 0 if all is correct, 1 if a payload cannot be read or an agent is not guarded as its settings say, 2 for
wrong usage.`;

const words = [...agents.keys()];

const shaped = defineCommand(help, {
  install: action({
    options: {
      policy: FILE,
      "watch-only": FLAG,
      native: FLAG,
      project: FLAG,
      "dry-run": FLAG,
    },
    words,
    most: Infinity,
    run: async (values, names) => (await import("./install.ts")).installGuard(names, values),
  }),
  uninstall: action({
    options: { project: FLAG, "dry-run": FLAG },
    words,
    most: Infinity,
    run: async (values, names) => (await import("./install.ts")).uninstallGuard(names, values),
  }),
  status: action({
    options: { probe: FLAG, json: FLAG },
    run: async (values) => (await import("./status.ts")).showStatus(values),
  }),
  forget: action({
    options: {},
    most: Infinity,
    names: "file",
    run: async (_, names) => (await import("./forget.ts")).forgetFiles(names),
  }),
  log: action({
    options: { follow: { type: "boolean", short: "f" }, file: FILE, json: FLAG },
    run: async (values) => (await import("./log.ts")).showLog(values),
  }),
  suggest: action({
    options: { since: TEXT, policy: FILE, file: FILE, out: FILE, json: FLAG },
    run: async (values) => (await import("./suggest.ts")).showSuggestions(values),
  }),
  try: action({ options: { policy: FILE, json: FLAG }, words, most: 2, run: tryHook }),
  hook: action({
    options: { policy: FILE, "watch-only": FLAG },
    words,
    most: Infinity,
    async run() {
      throw new UsageError("The action comes first: haft guard hook AGENT.");
    },
  }),
});

async function tryHook(
  { policy, json }: { policy?: string; json?: boolean },
  [agent, event]: readonly string[],
): Promise<number> {
  if (agent === undefined || !agents.has(agent))
    throw new UsageError(`Name an agent: haft guard try AGENT; there are ${[...agents.keys()].join(", ")}.`);
  const { findInstalledRules } = await import("./installed-rules.ts");
  const used = findInstalledRules(agent, policy === undefined ? undefined : resolve(policy));
  const { policyFile } = used;
  const read = async () => {
    if (process.stdin.isTTY)
      console.error(
        "haft: Enter the payload of a hook, or pipe it: haft guard try AGENT < FILE. Ctrl-D ends it.",
      );
    const text = await readInput();
    if (text.trim() === "")
      throw new UsageError(
        "Standard input is empty. Pipe the payload of a hook: haft guard try AGENT < FILE.",
      );
    return text;
  };
  const run = await runHook({ agent, event, policyFile, asks: false }, read, {
    ...lazyHookModules,
    openApprovals: NO_APPROVALS,
    async auditDecision() {},
  });
  if (run.failure instanceof UsageError) throw run.failure;
  const described = describeTry(run, used.description);
  print(json, described.json, () => described.text);
  return run.failure === undefined ? 0 : 1;
}

const NO_APPROVALS = async () => ({
  approvals: { ask: async () => ({ approvalId: "it-would-have-one" }) },
  async close() {},
});

/** A hook denies after each error, and never exits with 1. */
export const guardCommand = {
  ...shaped,
  run: async (args: string[], name: string): Promise<number> =>
    args[0] === "hook"
      ? (await answerHook(args.slice(1), async () => lazyHookModules)).exitCode
      : shaped.run(args, name),
};
