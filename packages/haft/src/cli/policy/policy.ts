import { withoutUndefined } from "@haft/core";
import { policySchema, readMatrix } from "@haft/policy";
import { importable } from "../../guard/import/importable.ts";
import type { HostOptions } from "../../host/host-options.ts";
import { createHost } from "../../host/host.ts";
import { readPluginValues } from "../plugin-arguments.ts";
import { readPolicyValues, type SessionValues } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { checkFiles } from "./check-files.ts";
import { formatMatrix } from "./format-matrix.ts";
import { runPolicyTests } from "./run-tests.ts";

const help = `haft policy check FILE… [--administrator] [--guard] [--json]
haft policy test FILE… [--policy FILE] [--json]
haft policy matrix [--policy FILE] [--format text|json] [--out FILE]
haft policy schema [--out FILE]
haft policy import claude|codex|gemini|opencode [FILE] [--out FILE [--force]] [--json]

Checks, tests and shows the rules that decide who may call what. The file is YAML or JSON
(comments begin with #, also in JSON):

  # yaml-language-server: $schema=./node_modules/haft/policy.schema.json
  deny: [effect:network]
  exec: { preset: careful, allow: ["git status*", npm test] }
  sessions:
    group: { grant: [write], ask: [write] }

check     Every problem of each file with its line, and what was probably meant; warnings for rules
          that leave a way around, and for programs that are not here. Warnings do not fail.
          --administrator checks it as the rules that no policy can loosen; --guard as rules for
          agents that others make, whose tools count as well.
test      Compares what the policy decides with a file of expectations, and runs none of the calls:
            - session: group
              tool: exec
              args: { command: git status | sh }
              expect: ask                 # allow, ask or deny
              because: session table      # part of the rule that decides (may be left out)
          also with sender (id:…, phone:…, username:…, name:… or system), agent, model, channel,
          group and name.
matrix    What each kind of session may do with each tool.
schema    The JSON Schema of policy files, for editors.
import    Makes a policy of the rules that an agent of others has itself: those of FILE, else the user's own.
          It is never freer than these: what cannot be said is asked about, or left out where it only lets
          through; each line of which that is so is told, and stands in the policy as a comment.

      --policy FILE         the rules; default: the built-in session table alone
      --admin-policy FILE   rules that no policy can loosen; default: HAFT_ADMIN_POLICY, or
                            /etc/haft/policy.yaml where it exists
      --administrator       with check: these are rules that no policy can loosen
      --guard               with check: these are rules for agents, as haft guard has them
      --agent ID            with matrix: the agent whose sessions are shown
      --format FORMAT       with matrix: text (default) or json
      --out FILE            write there instead of to standard output
      --force               with import: replace FILE where it is there already
      --plugin FILE         a plugin whose tools the rules may name; may be given several times
      --config FILE         configuration whose plugins they may name, too; default: HAFT_CONFIG, or the
                            user's own. Nothing else of it is read
      --no-config           none
  -w, --workspace DIR       with test: the folder that paths are in; default: the current folder
      --json                for programs
  -h, --help                this text

Exit codes: 0 when all is well, 1 when a file has problems or a test failed, 2 for wrong usage.`;

const FORMATS = ["text", "json"] as const;

const OPTIONS = {
  policy: { type: "string", names: "file" },
  "admin-policy": { type: "string", names: "file" },
  administrator: { type: "boolean" },
  guard: { type: "boolean" },
  agent: { type: "string" },
  format: { type: "string", words: FORMATS },
  out: { type: "string", names: "file" },
  force: { type: "boolean" },
  workspace: { type: "string", short: "w", names: "folder" },
  config: { type: "string", names: "file" },
  "no-config": { type: "boolean" },
  plugin: { type: "string", multiple: true, names: "file" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const PLUGINS = ["plugin", "config", "no-config"] as const;

const ACTIONS = {
  check: { options: ["administrator", "guard", ...PLUGINS, "json"], names: "file" },
  test: { options: ["policy", "admin-policy", "workspace", ...PLUGINS, "json"], names: "file" },
  matrix: { options: ["policy", "admin-policy", "agent", "format", "out", ...PLUGINS, "json"] },
  schema: { options: ["out", "json"] },
  import: { options: ["out", "force", "json"], words: importable, names: "file" },
} as const;

export const policyCommand = defineCommand(
  help,
  OPTIONS,
  async (values, positionals) => {
    const [action, ...files] = positionals as [keyof typeof ACTIONS, ...string[]];
    if (action === "import") return (await import("./import.ts")).importPolicy(files, values);
    const options = action === "schema" ? values : { ...values, plugins: await readPluginValues(values) };
    if (action === "check") return checkFiles(files, options);
    if (action === "test") return runPolicyTests(files, options);
    if (files.length > 0)
      throw new UsageError(`haft policy ${action} takes no file; name it with --policy or --out.`);
    return showMatrix(action, options);
  },
  { actions: ACTIONS },
);

type Options = Pick<SessionValues, "policy" | "admin-policy" | "agent"> &
  Pick<HostOptions, "plugins"> & {
    format?: (typeof FORMATS)[number];
    out?: string;
    json?: boolean;
  };

/** Prints, or writes, what each kind of session may do, or the schema of the rules. Resolves to the exit code. */
async function showMatrix(what: "matrix" | "schema", options: Options): Promise<number> {
  const format = options.json ? "json" : (options.format ?? "text");
  const text =
    what === "schema"
      ? `${JSON.stringify(policySchema(), undefined, 2)}\n`
      : await matrixText(format, options);
  writeOut(options.out, text);
  return 0;
}

async function matrixText(format: (typeof FORMATS)[number], options: Options): Promise<string> {
  const { plugins = [] } = options;
  const host = await createHost({ ...(await readPolicyValues(options)), plugins, stateDir: false });
  const { policy, catalogue } = host;
  try {
    if (format === "text") return formatMatrix(policy, catalogue, options.agent);
    const about = withoutUndefined({ agentId: options.agent, source: options.policy });
    return `${JSON.stringify({ ...about, rows: readMatrix(policy, catalogue, options.agent) })}\n`;
  } finally {
    await host.close();
  }
}
