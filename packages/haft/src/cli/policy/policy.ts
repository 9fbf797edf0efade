import { formatProblem } from "@haft/config/internal/document";
import { guardWarnings, importable } from "@haft/guard/internal/agents";
import { type CheckedPolicy, type CheckOptions, checkPolicyFile } from "@haft/history";
import { policySchema } from "@haft/policy";
import { readToolValues } from "../plugin-arguments.ts";
import { sessionArguments } from "../session-arguments.ts";
import { action, defineCommand, FILE, FLAG, UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { runPolicyTests } from "./run-tests.ts";

const help = `haft policy check FILE… [--admin-policy FILE] [--guard] [--json]
haft policy test FILE… [--policy FILE] [--json]
haft policy schema [--out FILE]
haft policy import claude|codex|gemini|opencode [FILE] [--out FILE [--yes]] [--json]

Checks and tests the rules that decide who may call what. haft tools --all shows their result. The file is YAML or
JSON (comments begin with #, also in JSON):

  # yaml-language-server: $schema=./node_modules/haft/policy.schema.json
  deny: [effect:network]
  exec: { preset: careful, allow: ["git status*", npm test] }
  sessions:
    group: { grant: [write], ask: [write] }

check     Prints every problem of each file with its line and a suggestion. Prints warnings for rules that can be
          bypassed, and for programs that are not installed here. Warnings do not fail.
          Checks --admin-policy FILE as rules that no policy can loosen. --guard checks all files as rules for
          agents of haft guard, whose tools count as well.
test      Compares decisions of the policy with a file of expectations. Runs no calls:
            - session: group
              tool: exec
              args: { command: git status | sh }
              expect: ask                 # allow, ask or deny
              because: session table      # part of the rule that decides (optional)
          Other keys: sender (id:…, phone:…, username:…, name:… or system), agent, model, channel,
          group and name.
schema    Prints the JSON Schema of policy files, for editors.
import    Makes a policy from the rules of another agent: those of FILE, or by default the user's own. The policy
          never allows more than these. A rule that cannot be expressed becomes ask, or is left out if it only
          allows; each such line is reported and becomes a comment of the policy.

      --policy FILE         with test: the rules; default: only the built-in session table
      --admin-policy FILE   rules that no policy can loosen: with check, one more file; with test, the default is
                            HAFT_ADMIN_POLICY, or /etc/haft/policy.yaml if it exists
      --guard               with check: check the files as rules for agents of haft guard
      --out FILE            write to this file instead of standard output
      --yes                 with import: replace an existing file of --out
      --plugin FILE         a plugin whose tools the rules can name; can be repeated
      --config FILE         configuration whose plugins and MCP servers the rules can name; default: HAFT_CONFIG, or the
                            user's own. Its other settings are ignored
      --no-config           read no configuration
  -w, --workspace DIR       with test: the folder of relative paths; default: the current folder
      --json                print JSON for programs
  -h, --help                print this text

Exit codes: 0 if all is correct, 1 if a file has problems or a test failed, 2 for wrong usage.`;

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
      throw new UsageError("Name a file: haft policy check FILE…");
    const loaded = await readToolValues(values);
    return checkFiles(files, administrator, {
      ...values,
      ...(guard === true && { guard: guardWarnings }),
      ...loaded,
    });
  },
});

const test = action({
  options: { ...plugins, policy, "admin-policy": adminPolicy, workspace, json: FLAG },
  names: "file",
  most: Infinity,
  needs: "Name a file of expectations: haft policy test FILE… [--policy FILE]",
  run: async (values, files) => runPolicyTests(files, { ...values, ...(await readToolValues(values)) }),
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

/** @param administrator another file, which policies cannot loosen */
async function checkFiles(
  files: readonly string[],
  administrator: string | undefined,
  options: Omit<CheckOptions, "administrator"> & { json?: boolean },
): Promise<number> {
  const results: Checked[] = [];
  for (const file of files) results.push({ file, ...(await checkPolicyFile(file, options)) });
  if (administrator !== undefined) {
    const { guard } = options;
    const checked = await checkPolicyFile(administrator, {
      ...options,
      administrator: true,
      ...(guard && { guard: (...document) => guardWarnings(...document, "administrator") }),
    });
    results.push({ file: administrator, ...checked });
  }
  const failed = results.some(({ problems }) => problems.length > 0);
  if (options.json) console.log(JSON.stringify({ ok: !failed, files: results }));
  else {
    for (const result of results) print(result);
    const isUnknown = results.some(({ problems }) =>
      problems.some(
        ({ message, nearest = [] }) =>
          nearest.length === 0 && message.startsWith("There is no tool or plugin"),
      ),
    );
    if (isUnknown)
      console.error(
        "haft: If a plugin has the tool, add --plugin FILE, or --config FILE if that names the plugin.",
      );
  }
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
