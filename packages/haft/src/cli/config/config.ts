import { configSchema } from "@haft/config/internal/document";
import { initAction } from "../init/init.ts";
import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { trustAction, trustedAction, untrustAction } from "../trust/trust.ts";
import { action, defineCommand, FILE, FLAG } from "../usage.ts";
import { writeOut } from "../write-out.ts";
import { checkConfigurations } from "./check.ts";
import { showConfiguration } from "./show.ts";

const help = `haft config init [--project] [options]
haft config show [--json] [options]
haft config check FILE… [--project] [--json]
haft config schema [--out FILE]
haft config trust [DIR|FILE] [--yes] [--also FILE]… [--json]
haft config trusted [DIR|FILE] [--also FILE]… [--json]
haft config untrust DIR|FILE…|--all [--json]

Writes, shows and checks the configuration of the haft command, a file named haft.config.yaml (or .json, .ts, .js):

  # yaml-language-server: $schema=./node_modules/haft/config.schema.json
  policy:
    deny: [effect:network]
  roots:
    docs: { path: ../docs, access: ro }
  sandbox: { backend: bubblewrap, network: none }
  model: { contextTokens: 200000 }

A code file exports it as default and imports its plugins: export default defineConfig({ plugins: [weather] }).

Haft reads one configuration: the file of --config, else HAFT_CONFIG, else the user's own in ~/.config/haft. Files in
the workspace, and above it in its repository, can come from anyone. Until you trust their exact content, they only
tighten (policy with deny, ask, allow, exec), and their code is not loaded. Trusted files also set roots, a sandbox,
plugins, a model and a policy; denials and questions of your own configuration remain. Trust covers the file, every
file that it reads and loads, and the packages that they import. It applies to this path, and ends if any of these
change. Agents cannot trust files: their commands do not reach the records of trust, and are refused if they try.

init      Writes a first configuration after three questions, with comments about other settings: your own in
          ~/.config/haft, for every haft command; or, with --project, that of a workspace, which can only
          tighten. Never overwrites a configuration.
show      Shows the source of each value, and the result for every file that was looked for.
check     Prints every problem of each file with its line. Runs code files, as --config does. With --project, checks
          a file of a workspace and runs nothing.
schema    Prints the JSON Schema of configurations, for editors.
trust     Shows the requests of the files in this folder, and above it in its repository, and asks you about each.
trusted   Lists trusted files, and files whose trust has ended. With DIR or FILE: prints the same as haft config
          trust, without a question.
untrust   Ends the trust in these files.

  haft config init --yes --commands careful --root docs=~/docs
  haft config init --project --yes --deny bash --deny 'group:fs(path:**/.env)'

      --project             with init and check: the configuration of the workspace, for all its users
  -y, --yes                 with init: ask nothing and use defaults for missing options; with trust: trust without
                            a question, if there is no terminal
      --commands HOW        with init: contained: commands can write only to the workspace, and need approval to
                            run outside (default if it works here); careful: commands that are not on a list need
                            approval (otherwise the default); free: all commands run
      --network NET         with init: network of contained commands and sandboxes: none (default), full, or host
                            names separated by commas
      --deny ENTRY          with init --project: a tool, or another entry of a policy, that is denied
      --also FILE           with trust and trusted: one more file that is loaded but that Haft cannot find by its
                            name
      --all                 with untrust: every file
      --out FILE            with schema: write to this file instead of standard output
      --json                print JSON for programs

${sessionArgumentsHelp}

Exit codes: 0 if all is correct, 1 if a file has problems, is not used, was not written or is not trusted, 2 for
wrong usage, 130 if Ctrl-C ended the questions of init.`;

const show = action({ options: { ...sessionArguments, json: FLAG }, run: showConfiguration });

const check = action({
  options: { project: FLAG, json: FLAG },
  names: "file",
  most: Infinity,
  needs: "Name a file: haft config check FILE…",
  run: checkConfigurations,
});

const schema = action({
  options: { out: FILE, json: FLAG },
  async run({ out }) {
    writeOut(out, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
    return 0;
  },
});

export const configCommand = defineCommand(help, {
  init: initAction,
  show,
  check,
  schema,
  trust: trustAction,
  trusted: trustedAction,
  untrust: untrustAction,
});
