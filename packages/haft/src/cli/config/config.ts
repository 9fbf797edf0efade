import { configSchema } from "../../config/config-schema.ts";
import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { writeOut } from "../write-out.ts";
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
only tighten (policy with deny, ask, allow, exec), and code of theirs is not loaded, until you trust what
stands there (haft trust).

show      Where each value came from, and every file that was looked for, with what came of it.
check     Every problem of each file with its line. Code is run, as with --config; --found checks it as a
          file of a workspace, and runs nothing.
schema    The JSON Schema of configurations, for editors.

      --found               with check: it is found in a workspace, so it may only tighten
      --out FILE            with schema: write there instead of to standard output
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when a file has problems or is not used, 2 for wrong usage.`;

const ACTIONS = {
  show: { options: [...Object.keys(sessionArguments), "json"] },
  check: { options: ["found", "json"], names: "file" },
  schema: { options: ["out", "json"] },
} as const;

export const configCommand = defineCommand(
  help,
  {
    ...sessionArguments,
    found: { type: "boolean" },
    out: { type: "string", names: "file" },
    json: { type: "boolean" },
  },
  async (values, positionals) => {
    const [action, ...files] = positionals as [keyof typeof ACTIONS, ...string[]];
    if (action === "check") return checkConfigurations(files, values);
    if (files.length > 0) throw new UsageError(`haft config ${action} takes no names.`);
    if (action === "show") return showConfiguration(values);
    writeOut(values.out, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
    return 0;
  },
  { actions: ACTIONS },
);
