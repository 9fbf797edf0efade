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

Decides about calls of coding agents that others make: ${[...agents.keys()].join(", ")}. Their hooks ask before
each call; one policy answers all of them. What it allows goes on by the agent's own rules, as if nobody had asked.

install   Adds the hook to the settings of agents, and leaves all else in them as it is. Broken settings and a broken
          policy are refused.
uninstall Takes it out again: what was there before is there byte for byte. Without AGENT: out of all.
status    Which agents are guarded, by which settings and rules, and what no setting closes; for Codex, whether it
          trusts the hook; and which version of each client is installed and was tried.
forget    A file of rules that was in force and is gone on purpose is not missed any more.
log       What was asked, decided and answered: of the audit log, else what --watch-only wrote down.
suggest   Proposes entries for lists of your rules, by what the log has: what people allowed whenever they were
          asked, and what would have been asked while only watching; with what was seen, as a diff of the
          file that you apply. Decides all calls of the log again, and says how many are decided otherwise.
          Without rules it proposes a first file.
try       Shows what a payload of an agent's hook is read as, what is decided about it and why, and what
          would be answered, to the byte, by the rules that are installed for the agent. The payload is read from
          standard input. Nothing is asked or kept.
          EVENT is for agents whose payload does not name it.
hook      What an agent's settings start before each call. Answers on standard output; exit code 2, with a
          text on standard error, where Haft could not decide. Then the call is denied, too.

      --policy FILE   rules instead of those of the operator's configuration; with hook an absolute path; with
                      suggest the file that would change
      --watch-only    nothing is decided; what would have been is written down, in the audit log of the
                      configuration, else in guard/watched.jsonl of the state folder
      --native        with install: paths that the rules deny to be read are denied by the agent's own rules,
                      too, where its hook is not asked (claude: files named with @ in a prompt). What is
                      installed later keeps them as the rules are then; uninstall takes them out
      --project       with install and uninstall: settings of the current folder, and not the user's own
      --dry-run       with install and uninstall: show what would change, and change nothing
      --probe         with status: run what is installed with a forbidden call, with a harmless one, and with a
                      guard that crashes, says nothing, or is gone
  -f, --follow        with log: go on with what is written from now on
      --file FILE     with log and suggest: another log
      --since WHEN    with suggest: what is newer, a span (7d) or a day (2026-11-23)
      --out FILE      with suggest: the diff alone, there
      --json          for programs
  -h, --help          this text

Exit codes: 0 when all is well, 1 when not: a payload cannot be read, or an agent is not guarded as its settings say; 2
for wrong usage.`;

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
      throw new UsageError("haft guard hook AGENT has the action first.");
    },
  }),
});

async function tryHook(
  { policy, json }: { policy?: string; json?: boolean },
  [agent, event]: readonly string[],
): Promise<number> {
  if (agent === undefined || !agents.has(agent))
    throw new UsageError(`Which agent? haft guard try AGENT; there are ${[...agents.keys()].join(", ")}.`);
  const { findInstalledRules } = await import("./installed-rules.ts");
  const used = findInstalledRules(agent, policy === undefined ? undefined : resolve(policy));
  const { policyFile } = used;
  const run = await runHook({ agent, event, policyFile, asks: false }, readInput, {
    ...lazyHookModules,
    openApprovals: ASKS_NOBODY,
    async auditDecision() {},
  });
  const told = describeTry(run, used.description);
  print(json, told.json, () => told.text);
  return run.failure === undefined ? 0 : 1;
}

const ASKS_NOBODY = async () => ({
  approvals: { ask: async () => ({ approvalId: "it-would-have-one" }) },
  async close() {},
});

/** A hook turns each error into a denial, and never exits with code 1. */
export const guardCommand = {
  ...shaped,
  run: async (args: string[], name: string): Promise<number> =>
    args[0] === "hook"
      ? (await answerHook(args.slice(1), async () => lazyHookModules)).exitCode
      : shaped.run(args, name),
};
