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
only tighten (policy with deny, ask, allow, exec), and code of theirs is not loaded, until you trust this very
content. Then they bring roots, a sandbox, plugins, a model and a policy as well; what your own configuration denies or
asks about stays so. Trust covers the file, every file that it reads and loads, and the packages they import. It holds in
this place, and ends when any of that changes. Agents cannot give it: their commands do not reach this folder, and are
refused where they try.

init      Writes a first configuration after three questions, with comments that say what else it may say: your own
          in ~/.config/haft, for every haft command; or, with --project, the one of a workspace, which can
          only tighten. A configuration that is there already is never overwritten.
show      Where each value came from, and every file that was looked for, with what came of it.
check     Every problem of each file with its line. Code is run, as with --config; --project checks it as a
          file of a workspace, and runs nothing.
schema    The JSON Schema of configurations, for editors.
trust     Shows what the files of this folder, and those above it in its repository, ask for, and asks you about
          each.
trusted   What is trusted, and what was and is not any more; of a DIR or FILE the same as haft config trust, without
          asking.
untrust   Trusts these no more.

  haft config init --yes --commands careful --root docs=~/docs
  haft config init --project --yes --deny bash --deny 'group:fs(path:**/.env)'

      --project             with init and check: the configuration of the workspace, for everybody who works in it
  -y, --yes                 with init: ask nothing, what no option says is the default; with trust: trust without
                            asking, where there is no terminal
      --commands HOW        with init: contained: commands write in the workspace and nowhere else, what leaves
                            that is asked about (default where it works here); careful: all that are not on
                            a list are asked about (else the default); free: all run
      --network NET         with init: what commands reach that are contained or in a sandbox: none (default),
                            full, or host names with commas between them
      --deny ENTRY          with init --project: a tool, or another entry of a policy, that is never called
      --also FILE           with trust and trusted: one more file that is loaded, and named nowhere in words that
                            can be found
      --all                 with untrust: everything
      --out FILE            with schema: write there instead of to standard output
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when a file has problems or is not used, was not written or is not trusted, 2 for wrong
usage, 130 when the questions of init were ended with Ctrl-C.`;

const show = action({ options: { ...sessionArguments, json: FLAG }, run: showConfiguration });

const check = action({
  options: { project: FLAG, json: FLAG },
  names: "file",
  most: Infinity,
  needs: "Which file? haft config check FILE…",
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
