import {
  type CommandTemplate,
  isKnownHarmless,
  isMultiCallBinary,
  findLauncher,
  type TemplateCommand,
} from "@haft/commands";
import type { CallPlan, FileIdentity, Mount } from "@haft/plugin-sdk";
import type { ResolvedPlanFiles } from "../find-programs.ts";
import { isWritable } from "../paths.ts";
import { portableProgramKey } from "./portable-facts.ts";

/**
 * Returns the programs that can be trusted with any arguments, or the reason against it. A grant must cover only this program, not programs
 * that it starts or that replace it.
 */
export function programOffers(
  outline: CommandTemplate,
  found: ResolvedPlanFiles,
  env: Readonly<Record<string, string>>,
  mounts: readonly Mount[],
): Pick<CallPlan, "programs" | "noProgramGrant"> {
  const started = outline.commands.filter(({ builtin }) => builtin !== true);
  const noProgramGrant =
    whyNone(outline, env) ??
    started.map((command) => whyMoreThanItself(command, found)).find((why) => why !== undefined) ??
    whyChangeable(started, mounts) ??
    whyUnknown(started);
  if (noProgramGrant !== undefined) return { noProgramGrant };
  const offers = new Map<string, NonNullable<CallPlan["programs"]>[number]>();
  for (const command of started) {
    const { path, cwd } = command;
    if (path === undefined) continue;
    const files = filesOf(command, found);
    const key = portableProgramKey(path, cwd, files, { shell: outline.shell, mounts });
    offers.set(key, {
      kind: "program",
      key,
      summary: `${path} in ${cwd}, as it is now, in ${outline.shell}`,
    });
  }
  return { programs: [...offers.values()] };
}

function whyNone(
  { unclear, commands, files }: CommandTemplate,
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (unclear !== undefined) return `its programs are uncertain: ${unclear}`;
  const carrier = commands.find((command) => command.carrier !== undefined);
  if (carrier !== undefined) return `${carrier.name}: ${carrier.carrier}`;
  if (files.length > 0) return "it also reads or writes files by redirection, outside of the program";
  if (Object.keys(env).length > 0) return "it also sets variables, which can change what a program does";
  const open = commands.find((command) => command.open === true);
  if (open !== undefined) return `${open.name} gets words that are unknown before the start`;
  if (commands.some(({ assignments }) => assignments.length > 0))
    return "it also sets variables, which can change what a program does";
  const missing = commands.find(({ builtin, path }) => builtin !== true && path === undefined);
  if (missing !== undefined) return `${missing.name} is not there`;
  if (commands.every(({ builtin }) => builtin)) return "it starts no program";
  return undefined;
}

/** Content and first line count, not the name: a program may be a shell. */
function whyMoreThanItself(
  command: TemplateCommand,
  { programs, interpreters }: ResolvedPlanFiles,
): string | undefined {
  const { name, path = "", argv } = command;
  const program = command.programs.at(-1) ?? "";
  if (isMultiCallBinary(path)) return `${name} is ${path}, which contains many programs`;
  for (const copy of programs.get(program)?.copies ?? []) {
    const carrier = isMultiCallBinary(copy)
      ? { reason: `${copy} contains many programs` }
      : findLauncher([copy]);
    if (carrier !== undefined) return `${name} is the same file as ${copy}, and ${carrier.reason}`;
  }
  const chain = interpreters.get(program) ?? [];
  const missing = chain.find(({ found }) => found === undefined);
  if (missing !== undefined) return `${name} is run by ${missing.name}, which is missing`;
  const runner = chain.at(-1);
  const carrier =
    runner && findLauncher([runner.found?.realPath ?? "", ...runner.args, path, ...argv.slice(1)]);
  return carrier?.unclear === undefined ? undefined : `${name} is run by ${runner?.name}: ${carrier.unclear}`;
}

function filesOf(
  command: TemplateCommand,
  { programs, interpreters }: ResolvedPlanFiles,
): (FileIdentity | undefined)[] {
  const program = command.programs.at(-1) ?? "";
  const chain = interpreters.get(program) ?? [];
  return [programs.get(program), ...chain.map(({ found }) => found)];
}

/** In a writable folder, file tools could replace the program. */
function whyChangeable(started: readonly TemplateCommand[], mounts: readonly Mount[]): string | undefined {
  const writable = started.find(({ path }) => isWritable(path, mounts));
  return writable && `${writable.name} is in the workspace, where it can change at any time`;
}

/** A list of harmless programs can be complete, a list of dangerous programs cannot. */
function whyUnknown(started: readonly TemplateCommand[]): string | undefined {
  const unknown = started.find(
    ({ path, argv }) => path === undefined || !isKnownHarmless(path, argv.slice(1)),
  );
  return unknown && `${unknown.name} is not known to start nothing else with these arguments`;
}
