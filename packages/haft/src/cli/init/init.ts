import { findTerminal } from "../approvals/find-terminal.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { readWorkspaceValue } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { COMMANDS } from "./answers.ts";
import { askOwn, askProject } from "./ask.ts";
import { NotAnswered, Questions } from "./questions.ts";
import { ownPlace, projectPlace, writeConfiguration } from "./write-configuration.ts";

const help = `haft init [options]
haft init --project [options]

Writes a first haft.config.yaml after three questions, with comments that say what else it may
say: your own in ~/.config/haft, for every haft command; or, with --project, the one of a workspace,
which can only tighten. A configuration that is there already is never overwritten.

  haft init
  haft init --yes
  haft init --yes --commands careful --root docs=~/docs
  haft init --project --yes --deny bash --protect '**/.env'

  -y, --yes                 ask nothing; what no option says is the default
      --commands HOW        contained: commands write in the workspace and nowhere else, what leaves that
                            is asked about (default where it works here); careful: all that are not on
                            a list are asked about (else the default); free: all run
      --network NET         what commands reach that are contained or in a sandbox: none (default), full,
                            or host names with commas between them
      --root NAME=DIR[:ro|:rw]
                            one more folder, addressed as NAME:path; read-only unless :rw
      --project             the configuration of the workspace, for everybody who works in it
      --deny TOOL           with --project: a tool, or another entry of a policy, that is never called
      --protect PATTERN     with --project: paths that no file tool reads or changes, like '**/.env'
  -w, --workspace DIR       with --project: the folder; default: the current folder
      --json                for programs: {"file":…,"schema":…,"next":[…]}
  -h, --help                this text

Exit codes: 0 when it was written, 1 when not (one is there, the folder cannot be written to), 2 for
wrong usage, 130 when the questions were ended with Ctrl-C.`;

export const initCommand = defineCommand(
  help,
  {
    yes: { type: "boolean", short: "y" },
    commands: { type: "string", words: COMMANDS },
    network: { type: "string" },
    root: { type: "string", multiple: true },
    project: { type: "boolean" },
    deny: { type: "string", multiple: true },
    protect: { type: "string", multiple: true },
    workspace: { type: "string", short: "w", names: "folder" },
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
  async (values, positionals) => {
    if (positionals.length > 0) throw new UsageError(`haft init takes no "${positionals[0]}".`);
    const isProject = values.project ?? false;
    if (!isProject) refuseInSession("write what your agents are held by");
    const foreign = (isProject ? ["network", "root"] : ["deny", "protect", "workspace"]).find((name) =>
      Object.hasOwn(values, name),
    );
    if (foreign !== undefined)
      throw new UsageError(
        isProject
          ? `--${foreign} opens something, and the configuration of a workspace only tightens. Leave out --project.`
          : `--${foreign} goes with --project.`,
      );
    const place = isProject ? projectPlace(readWorkspaceValue(values.workspace)) : ownPlace();
    const terminal = values.yes ? undefined : findTerminal();
    const questions = terminal && new Questions(terminal);
    try {
      const text = isProject
        ? await askProject(values, questions, place.schema)
        : await askOwn(values, questions, place.schema);
      return await writeConfiguration(place, text, values.json ?? false);
    } catch (thrown) {
      if (!(thrown instanceof NotAnswered)) throw thrown;
      console.error("\nNothing was written.");
      return 130;
    } finally {
      questions?.end();
    }
  },
);
