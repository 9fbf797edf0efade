import { findTerminal } from "../approvals/find-terminal.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { readWorkspaceValue, sessionArguments } from "../session-arguments.ts";
import { action, FLAG, TEXT, TEXTS, UsageError } from "../usage.ts";
import { askUserConfiguration, askProjectConfiguration } from "./ask.ts";
import { COMMANDS } from "./configuration-text.ts";
import { type Ask, QuestionsCancelled, withQuestions } from "./questions.ts";
import { getUserConfigTarget, getProjectConfigTarget, writeConfiguration } from "./write-configuration.ts";

export const initAction = action({
  options: {
    yes: { type: "boolean", short: "y" },
    commands: { type: "string", words: COMMANDS },
    network: TEXT,
    root: TEXTS,
    project: FLAG,
    deny: TEXTS,
    workspace: sessionArguments.workspace,
    json: FLAG,
  },
  async run(values) {
    const isProject = values.project ?? false;
    if (!isProject) refuseInSession("write the rules of your agents");
    const foreign = (isProject ? ["network", "root"] : ["deny", "workspace"]).find((name) => name in values);
    if (foreign !== undefined)
      throw new UsageError(
        isProject
          ? `--${foreign} loosens rules, and the configuration of a workspace only tightens. Omit --project.`
          : `--${foreign} needs --project.`,
      );
    const target = isProject
      ? getProjectConfigTarget(readWorkspaceValue(values.workspace))
      : getUserConfigTarget();
    const terminal = values.yes ? undefined : findTerminal();
    const write = async (ask?: Ask) =>
      writeConfiguration(
        target,
        await (isProject ? askProjectConfiguration : askUserConfiguration)(values, ask, target.schema),
        values.json ?? false,
      );
    try {
      return await (terminal === undefined ? write() : withQuestions(terminal, write));
    } catch (thrown) {
      if (!(thrown instanceof QuestionsCancelled)) throw thrown;
      console.error("\nNothing was written.");
      return 130;
    }
  },
});
