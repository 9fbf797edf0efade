import { writeFileSync } from "node:fs";
import { configSchema } from "../../config/config-schema.ts";
import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, noSuchAction, UsageError } from "../usage.ts";
import { checkConfigurations } from "./check.ts";
import { showConfiguration } from "./show.ts";

const help = `haft config show [--json] [options]
haft config check FILE… [--found] [--json]
haft config schema [--out FILE]

What the haft command starts with, from a file named haft.config.yaml (or .json, .ts, .js):

  # yaml-language-server: $schema=./node_modules/haft/config.schema.json
  policy:
    deny: [effect:network]
  roots:
    docs: { path: ../docs, access: ro }
  sandbox: { backend: bubblewrap, network: none }
  model: { contextTokens: 200000 }

Code exports it by default, and imports its plugins: export default defineConfig({ plugins: [weather] }).

One configuration is believed: the file that --config names, else HAFT_CONFIG, else the user's own in
~/.config/haft. Files that lie in the workspace, and above it in its repository, can be anybody's: they
only tighten (policy with deny, ask, allow, exec), count only where nobody but you and root may write, and
code of theirs is not loaded.

show      Where each value came from, and every file that was looked for, with what came of it.
check     Every problem of each file with its line; --found checks it as a file of a workspace.
schema    The JSON Schema of configurations, for editors.

      --found               with check: it is found in a workspace, so it may only tighten
      --out FILE            with schema: write there instead of to standard output
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when a file has problems or is not used, 2 for wrong usage.`;

const ACTIONS = ["show", "check", "schema"] as const;

export const configCommand = defineCommand(
  help,
  {
    ...sessionArguments,
    found: { type: "boolean" },
    out: { type: "string" },
    json: { type: "boolean" },
  },
  async (values, positionals) => {
    const [name, ...files] = positionals;
    const action = ACTIONS.find((known) => known === name);
    if (action === undefined) throw noSuchAction("config", name, ACTIONS);
    if (action === "check") return checkConfigurations(files, values);
    if (files.length > 0) throw new UsageError(`haft config ${action} takes no names.`);
    if (action === "show") return showConfiguration(values);
    const text = `${JSON.stringify(configSchema(), undefined, 2)}\n`;
    if (values.out === undefined) process.stdout.write(text);
    else writeFileSync(values.out, text);
    return 0;
  },
);
