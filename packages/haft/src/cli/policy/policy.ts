import { formatProblem } from "@haft/config/internal/document";
import { guardWarnings, importable } from "@haft/guard/internal/agents";
import { type CheckedPolicy, type CheckOptions, checkPolicyFile } from "@haft/history";
import { policySchema } from "@haft/policy";
import { readPluginValues } from "../plugin-arguments.ts";
import { sessionArguments } from "../session-arguments.ts";
import { action, defineCommand, FILE, FLAG, UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { runPolicyTests } from "./run-tests.ts";

const help = `haft policy check FILE… [--admin-policy FILE] [--guard] [--json]
haft policy test FILE… [--policy FILE] [--json]
haft policy schema [--out FILE]
haft policy import claude|codex|gemini|opencode [FILE] [--out FILE [--yes]] [--json]

Checks and tests the rules that decide who may call what; haft tools --all shows what they come to. The file is YAML or
JSON (comments begin with #, also in JSON):

  # yaml-language-server: $schema=./node_modules/haft/policy.schema.json
  deny: [effect:network]
  exec: { preset: careful, allow: ["git status*", npm test] }
  sessions:
    group: { grant: [write], ask: [write] }

check     Every problem of each file with its line, and what was probably meant; warnings for rules
          that leave a way around, and for programs that are not here. Warnings do not fail.
          --admin-policy FILE is checked as rules that no policy can loosen; --guard checks all as rules for
          agents that others make, whose tools count as well.
test      Compares what the policy decides with a file of expectations, and runs none of the calls:
            - session: group
              tool: exec
              args: { command: git status | sh }
              expect: ask                 # allow, ask or deny
              because: session table      # part of the rule that decides (may be left out)
          also with sender (id:…, phone:…, username:…, name:… or system), agent, model, channel,
          group and name.
schema    The JSON Schema of policy files, for editors.
import    Makes a policy of the rules that an agent of others has itself: those of FILE, else the user's own.
          It is never freer than these: what cannot be said is asked about, or left out where it only lets
          through; each line of which that is so is told, and stands in the policy as a comment.

      --policy FILE         with test: the rules; default: the built-in session table alone
      --admin-policy FILE   rules that no policy can loosen: with check, one more file; with test their default is
                            HAFT_ADMIN_POLICY, or /etc/haft/policy.yaml where it exists
      --guard               with check: these are rules for agents, as haft guard has them
      --out FILE            write there instead of to standard output
      --yes                 with import: replace FILE where it is there already
      --plugin FILE         a plugin whose tools the rules may name; may be given several times
      --config FILE         configuration whose plugins they may name, too; default: HAFT_CONFIG, or the
                            user's own. Nothing else of it is read
      --no-config           none
  -w, --workspace DIR       with test: the folder that paths are in; default: the current folder
      --json                for programs
  -h, --help                this text

Exit codes: 0 when all is well, 1 when a file has problems or a test failed, 2 for wrong usage.`;

const {
  policy,
  "admin-policy": adminPolicy,
  workspace,
  config,
  "no-config": noConfig,
  plugin,
} = sessionArguments;
const plugins = { config, "no-config": noConfig, plugin } as const;

const check = action({
  options: { ...plugins, "admin-policy": adminPolicy, guard: FLAG, json: FLAG },
  names: "file",
  most: Infinity,
  async run({ "admin-policy": administrator, guard, ...values }, files) {
    if (files.length === 0 && administrator === undefined)
      throw new UsageError("Which file? haft policy check FILE…");
    const loaded = await readPluginValues(values);
    return checkFiles(files, administrator, {
      ...values,
      ...(guard === true && { guard: guardWarnings }),
      plugins: loaded,
    });
  },
});

const test = action({
  options: { ...plugins, policy, "admin-policy": adminPolicy, workspace, json: FLAG },
  names: "file",
  most: Infinity,
  needs: "Which file of expectations? haft policy test FILE… [--policy FILE]",
  run: async (values, files) => runPolicyTests(files, { ...values, plugins: await readPluginValues(values) }),
});

const schema = action({
  options: { out: FILE, json: FLAG },
  async run({ out }) {
    writeOut(out, `${JSON.stringify(policySchema(), undefined, 2)}\n`);
    return 0;
  },
});

const importRules = action({
  options: { out: FILE, yes: FLAG, json: FLAG },
  words: importable,
  names: "file",
  most: 2,
  run: async (values, words) => (await import("./import.ts")).importPolicy(words, values),
});

interface Checked extends CheckedPolicy {
  file: string;
}

const MAX_SHOWN = 20;

/** @param administrator one more file, of rules that no policy loosens */
async function checkFiles(
  files: readonly string[],
  administrator: string | undefined,
  options: Omit<CheckOptions, "administrator"> & { json?: boolean },
): Promise<number> {
  const results: Checked[] = [];
  for (const file of files) results.push({ file, ...(await checkPolicyFile(file, options)) });
  if (administrator !== undefined) {
    const checked = await checkPolicyFile(administrator, { ...options, administrator: true });
    results.push({ file: administrator, ...checked });
  }
  const failed = results.some(({ problems }) => problems.length > 0);
  if (options.json) console.log(JSON.stringify({ ok: !failed, files: results }));
  else for (const result of results) print(result);
  return failed ? 1 : 0;
}

function print({ file, problems, warnings }: Checked): void {
  for (const list of [problems, warnings]) {
    for (const problem of list.slice(0, MAX_SHOWN)) console.error(formatProblem(file, problem));
    if (list.length > MAX_SHOWN)
      console.error(
        `${file}: ${list.length - MAX_SHOWN} more ${list === problems ? "problems" : "warnings"}.`,
      );
  }
  if (problems.length > 0) return;
  const { length } = warnings;
  console.log(`${file}: no problems${length === 0 ? "" : `, ${length} warning${length === 1 ? "" : "s"}`}.`);
}

export const policyCommand = defineCommand(help, { check, test, schema, import: importRules });
