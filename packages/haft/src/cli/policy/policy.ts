import { defineCommand, noSuchAction, UsageError } from "../usage.ts";
import { checkFiles } from "./check-files.ts";
import { runPolicyTests } from "./run-tests.ts";
import { showMatrix } from "./show-matrix.ts";

const help = `haft policy check FILE… [--administrator] [--json]
haft policy test FILE… [--policy FILE] [--json]
haft policy matrix [--policy FILE] [--format text|html|svg|json] [--out FILE]
haft policy schema [--out FILE]

Checks, tests and shows the rules that decide who may call what. The file is YAML or JSON
(comments begin with #, also in JSON):

  # yaml-language-server: $schema=./node_modules/haft/policy.schema.json
  deny: [effect:network]
  exec: { preset: careful, allow: ["git status*", npm test] }
  sessions:
    group: { grant: [write], ask: [write] }

check     Every problem of each file with its line, and what was probably meant; warnings for rules
          that leave a way around, and for programs that are not here. Warnings do not fail.
          --administrator checks it as the rules that no policy can loosen.
test      Compares what the policy decides with a file of expectations, and runs none of the calls:
            - session: group
              tool: exec
              args: { command: git status | sh }
              expect: ask                 # allow, ask or deny
              because: session table      # part of the rule that decides (may be left out)
          also with sender (id:…, phone:…, username:…, name:… or system), agent, model, channel,
          group and name.
matrix    What each kind of session may do with each tool. As html or svg it is a picture in
          which the rule behind a cell is shown when it is pointed at.
schema    The JSON Schema of policy files, for editors.

      --policy FILE         the rules; default: the built-in session table alone
      --admin-policy FILE   rules that no policy can loosen; default: HAFT_ADMIN_POLICY, or
                            /etc/haft/policy.yaml where it exists
      --agent ID            with matrix: the agent whose sessions are shown
      --format FORMAT       with matrix: text (default), html, svg or json
      --out FILE            write there instead of to standard output
  -w, --workspace DIR       with test: the folder that paths are in; default: the current folder
      --json                for programs
  -h, --help                this text

Exit codes: 0 when all is well, 1 when a file has problems or a test failed, 2 for wrong usage.`;

const options = {
  policy: { type: "string" },
  "admin-policy": { type: "string" },
  administrator: { type: "boolean" },
  agent: { type: "string" },
  format: { type: "string" },
  out: { type: "string" },
  workspace: { type: "string", short: "w" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const ACTIONS = ["check", "test", "matrix", "schema"] as const;

export const policyCommand = defineCommand(help, options, async (values, positionals) => {
  const [name, ...files] = positionals;
  const action = ACTIONS.find((known) => known === name);
  if (action === undefined) throw noSuchAction("policy", name, ACTIONS);
  if (action === "check") return checkFiles(files, values);
  if (action === "test") return runPolicyTests(files, values);
  if (files.length > 0)
    throw new UsageError(`haft policy ${action} takes no file; name it with --policy or --out.`);
  return showMatrix(action, values);
});
