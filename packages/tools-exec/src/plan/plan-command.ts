import {
  analyzeCommand,
  type AnalyzeOptions,
  type CommandTemplate,
  isDisplayVariable,
  rebuildCommand,
  resolveTemplate,
  toPlannedCommand,
} from "@haft/commands";
import type { CallPlan, CallSubjects, CommandSubject, Workspace } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import type { ShellName } from "../sessions/resolve-shell.ts";
import { requireProcesses } from "../sessions/session-book.ts";
import { toSingleLine, previewCommand } from "./command-preview.ts";
import { parseExemption, type ExemptionRequest, toExemptionSpec } from "./containment-exemption.ts";
import {
  listExpectedFiles,
  findFiles,
  findPrograms,
  type ResolvedPlanFiles,
  type CommandPlanContext,
} from "./find-programs.ts";
import { EMPTY_GIT_PLAN, planGit } from "./git/plan-git.ts";
import { portableFacts } from "./grants/portable-facts.ts";
import { programOffers } from "./grants/program-offers.ts";
import { createLineContext } from "./line/line-context.ts";
import { findLineFiles, NO_LINE_FILES, explainStaleExpansion, withRealFiles } from "./line/line-files.ts";
import { findRedirectTargets } from "./line/redirect-targets.ts";
import { shortNames } from "./line/short-names.ts";
import { explainWrittenProgram } from "./line/written-program.ts";
import type { PolicyRequest } from "./refuse-request.ts";
import { refuseEditor } from "./refuse/refuse-editor.ts";
import { refuseSelfApproval } from "./refuse/refuse-self-approval.ts";
import { explainShadowedProgram } from "./shadowed-program.ts";
import type { CommandPlanData, StartSpec } from "./start-spec.ts";

interface GivenCommand {
  text: string;
  /** If `undefined`, the workspace selects the shell, and the text is parsed as `sh`. */
  shell: ShellName | undefined;
  workdir?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  pty?: boolean | undefined;
  background?: boolean | undefined;
  platform?: string;
  elsewhere?: boolean;
  wishes?: PolicyRequest;
  leave?: ExemptionRequest;
}

/**
 * Determines a command's current programs and scripts, folder and variables. A fully understood command is rebuilt from these facts, any
 * other runs unchanged. Both start only if all checked files are unchanged.
 */
export async function planCommand(
  workspace: Workspace,
  given: GivenCommand,
): Promise<CallPlan & { data: CommandPlanData }> {
  const { text, env = {}, pty = false, background = false, platform = process.platform } = given;
  const shell = given.shell ?? "sh";
  const processes = requireProcesses(workspace);
  const { target, mounts, containment, node } = workspace.describe();
  const elsewhere = given.elsewhere === true ? node : undefined;
  const leave = containment && parseExemption(given.leave ?? {});
  const isContained = containment !== undefined && leave?.outside !== true;
  const where = withoutUndefined<CommandPlanContext["where"]>({
    cwd: given.workdir,
    env: given.env,
    outside: leave?.outside,
  });
  const planContext = { workspace, processes, where };
  // Names with a slash are relative to it.
  const { cwd, settings } = await processes.identify([], where);
  // A view has other files than the host.
  const line = isContained ? undefined : createLineContext(workspace, settings);
  const there = withoutUndefined<AnalyzeOptions>({ cwd: cwd.realPath, shell, context: line, platform });
  const read = await analyzeCommand(text, there);
  refuseSelfApproval(read, target === "host");
  if (!pty && !background) refuseEditor(read);
  const programs = await findPrograms(planContext, read, shell);
  const known = resolveTemplate(read, (program) => programs.programs.get(program)?.realPath);
  // A view limits what a redirect can open.
  const opened = isContained ? NO_LINE_FILES : await findLineFiles(planContext, known);
  const open = opened.unclear ?? explainStaleExpansion(known);
  const named = open === undefined ? withRealFiles(known, opened) : unclearFor(known, open);
  // The view also contains programs of the repository.
  const git = isContained ? EMPTY_GIT_PLAN : await planGit(planContext, named);
  const resolved = git.unclear === undefined ? named : { ...named, unclear: git.unclear };
  const shadowed = await explainShadowedProgram(planContext, named, programs.programs);
  const asks = shadowed ?? git.asks;
  const files = await findFiles(planContext, resolved);
  const sources = new Map([...files.sources, ...git.helpers]);
  const redirects = await findRedirectTargets(planContext, known, opened);
  const { targets } = opened;
  const found = { ...programs, ...files, sources, guards: git.guards, targets, redirects };
  const changed = resolved.unclear ?? whatVariablesChange(env);
  const unnamed = resolved.tied === true ? undefined : (changed ?? (git.isOpen ? git.asks : undefined));
  // Typed input needs its own decision, so the command's text proves nothing.
  const typed = pty ? "it runs on a terminal, where pagers and editors run input" : undefined;
  const unsure = changed ?? typed;
  const run = unsure === undefined ? resolved : { ...resolved, unclear: unsure };
  // A command with a question about a hook or a shadowed name runs as planned.
  const outline = unsure === undefined && asks !== undefined ? { ...run, unclear: asks } : run;
  const offers = programOffers(outline, found, env, mounts);
  const { preview, isWhole } = previewCommand(
    run,
    found,
    withoutUndefined({
      shell: given.shell,
      leftOut: git.leftOut,
      asks,
      target,
      node,
      env,
      pty,
      background,
      leave,
    }),
  );
  const noAlways = found.isTooMuch
    ? "it names more files than are looked at"
    : unnamed !== undefined
      ? `its programs are uncertain, so only this once (${unnamed})`
      : isWhole
        ? undefined
        : "not all of it is shown";
  return withoutUndefined({
    subjects: withoutUndefined<CallSubjects>({
      command: withoutUndefined({
        ...subjectOf(outline, await shortNames(planContext, outline, programs.programs)),
        hidden: await explainWrittenProgram(planContext, known),
        redirects: outline.unclear === undefined && opened.subjects.length > 0 ? opened.subjects : undefined,
        shell: given.shell,
        ...given.wishes,
        outside: leave?.outside && leave.reason,
        forward: leave?.forward,
      }),
      hosts: leave?.hosts,
      node: node && { id: node.id, name: node.name },
    }),
    preview,
    identity: JSON.stringify([
      shell,
      text,
      pty,
      background,
      ...(leave ? [leave.outside === true, leave.hosts, leave.forward] : []),
      ...(elsewhere === undefined ? [] : [{ node: elsewhere.id, workspace: elsewhere.workspace }]),
    ]),
    facts: portableFacts(found, outline, { mounts, temporary: settings?.["TMPDIR"] }),
    // Trust in the view does not apply outside, or with any host.
    ...(leave !== undefined
      ? { noProgramGrant: LEAVES }
      : elsewhere !== undefined
        ? { noProgramGrant: ELSEWHERE }
        : offers),
    noAlways,
    // Trust in any input requires trust in any arguments.
    data: withoutUndefined<CommandPlanData>({
      shell: given.shell,
      spec: { ...startSpec(withWords(run, git.words), found, text), ...toExemptionSpec(leave) },
      takesCode: offers.noProgramGrant,
      node: elsewhere?.id,
      notices: run.unclear === undefined && git.leftOut.length > 0 ? [leftOutNotice(git.leftOut)] : [],
    }),
  });
}

const ELSEWHERE = "it covers only this command, because it runs on another machine";
const LEAVES = "it covers only this command, because it needs more than the view allows";

function withWords(outline: CommandTemplate, words: ReadonlyMap<number, readonly string[]>): CommandTemplate {
  const commands = outline.commands.map((command, at) => {
    const [name = "", ...args] = command.argv;
    return { ...command, argv: [name, ...(words.get(at) ?? []), ...args] };
  });
  return { ...outline, commands };
}

function leftOutNotice(names: readonly string[]): string {
  return `[git ignored settings of the repository: ${names.map(toSingleLine).join(", ")}]`;
}

function whatVariablesChange(env: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(env).filter((name) => !isDisplayVariable(name));
  return names.length === 0
    ? undefined
    : `it sets ${names.slice(0, 3).join(", ")}, which can change what runs`;
}

function startSpec(outline: CommandTemplate, found: ResolvedPlanFiles, text: string): StartSpec {
  const { cwd, programs, shell } = found;
  const used = listExpectedFiles(found);
  const common = { cwd: cwd.realPath, expect: used };
  const isComplete = [...programs.values()].every((one) => one !== undefined);
  if (outline.unclear !== undefined || !isComplete) return { ...common, script: text };
  const rebuilt = rebuildCommand(outline, (program) => programs.get(program)?.path);
  if ("argv" in rebuilt) return { ...common, argv: rebuilt.argv };
  if (shell === undefined) return { ...common, ...rebuilt };
  return { ...common, script: rebuilt.script, shell: shell.path, expect: [...used, shell] };
}

function unclearFor(outline: CommandTemplate, why: string): CommandTemplate {
  const { tied: _, ...rest } = outline;
  return { ...rest, unclear: outline.unclear ?? why };
}

function subjectOf(
  { text, cwd, commands, unclear }: CommandTemplate,
  names: ReadonlyMap<string, string>,
): CommandSubject {
  const planned = commands.map((command) =>
    toPlannedCommand({ ...command, name: names.get(command.name) ?? command.name }),
  );
  return withoutUndefined({ text, cwd, commands: planned, unclear });
}
