import type { CommandOutline, OutlinedCommand } from "@haft/commands";
import { analyzeCommand, bindingOf, rebuildCommand, resolveOutline } from "@haft/commands";
import type {
  CallPlan,
  CommandSubject,
  FileIdentity,
  PlannedCommand,
  Processes,
  Workspace,
} from "@haft/core";
import { onlyChangesLooks } from "@haft/core";
import { requireProcesses } from "../sessions/session-book.ts";
import { showCommand } from "./command-preview.ts";
import { programOffers } from "./program-offers.ts";
import { refuseSelfApproval } from "./refuse-self-approval.ts";
import type { StartSpec } from "./start-spec.ts";

/** A command as a call gives it. */
export interface GivenCommand {
  text: string;
  /** Name of the shell it is for. */
  shell: "sh" | "bash";
  workdir?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  /** On a terminal, where pagers and editors run whatever is typed. */
  pty?: boolean | undefined;
  /** Its input stays open. */
  background?: boolean | undefined;
  /** What the call asks for. */
  wishes?: Pick<CommandSubject, "security" | "ask" | "elevated">;
}

/**
 * Works out what a command would run: its programs and scripts as they are now, the folder, the variables. A command
 * that can be read for certain is rebuilt from what was found, so that it runs exactly that; any other is only run as
 * a whole. Either way it starts only while all that was looked at is still the same.
 */
export async function planCommand(
  workspace: Workspace,
  given: GivenCommand,
): Promise<CallPlan & { data: StartSpec }> {
  const processes = requireProcesses(workspace);
  const { place, mounts } = workspace.describe();
  const where = {
    ...(given.workdir === undefined ? {} : { cwd: given.workdir }),
    ...(given.env === undefined ? {} : { env: given.env }),
  };
  // Names with a slash are taken from the folder on, so that has to be known first.
  const { cwd } = await processes.identify([], where);
  const read = await analyzeCommand(given.text, { cwd: cwd.realPath, shell: given.shell });
  refuseSelfApproval(read);
  const found = await lookUp(processes, read, where, given.shell);
  const resolved = resolveOutline(read, (program) => found.programs.get(program)?.realPath);
  const unsure = resolved.unclear ?? notOnlyTheText(given);
  const outline = unsure === undefined ? resolved : { ...resolved, unclear: unsure };
  return {
    subjects: { command: { ...subjectOf(outline), ...given.wishes } },
    preview: showCommand(outline, { place, env: given.env ?? {} }),
    identity: JSON.stringify([given.shell, given.text, given.pty === true, given.background === true]),
    binding: bindingOf(factsOf(found)),
    ...programOffers(outline, given.env ?? {}, mounts),
    data: startSpec(outline, found, given.text),
  };
}

/** What else decides what runs, so that the text alone is no proof. */
function notOnlyTheText({ pty, env = {} }: GivenCommand): string | undefined {
  if (pty === true) return "it runs on a terminal, where pagers and editors run what is typed";
  const names = Object.keys(env).filter((name) => !onlyChangesLooks(name));
  return names.length === 0
    ? undefined
    : `it sets ${names.slice(0, 3).join(", ")}, which can change what runs`;
}

/** What was there when the plan was made. */
interface Found {
  cwd: FileIdentity;
  environment: string;
  /** By the names of the outline; `undefined` for what is not there. */
  programs: ReadonlyMap<string, FileIdentity | undefined>;
  scripts: ReadonlyMap<string, FileIdentity | undefined>;
  shell: FileIdentity | undefined;
}

async function lookUp(
  processes: Processes,
  { commands }: CommandOutline,
  where: { cwd?: string; env?: Readonly<Record<string, string>> },
  shell: string,
): Promise<Found> {
  const programs = [...new Set(commands.flatMap((command) => command.programs))];
  const scripts = [...new Set(commands.flatMap((command) => command.scripts))];
  const names = [
    ...[shell, ...programs].map((name) => ({ name })),
    ...scripts.map((name) => ({ name, hash: true })),
  ];
  const { cwd, environment, files } = await processes.identify(names, where);
  const [ofShell, ...others] = files;
  return {
    cwd,
    environment,
    shell: ofShell,
    programs: new Map(programs.map((name, at) => [name, others[at]])),
    scripts: new Map(scripts.map((name, at) => [name, others[programs.length + at]])),
  };
}

function startSpec(outline: CommandOutline, found: Found, text: string): StartSpec {
  const { cwd, programs, scripts, shell } = found;
  const used = [cwd, ...programs.values(), ...scripts.values()].filter((one) => one !== undefined);
  const common = { cwd: cwd.realPath, expect: used };
  const isComplete = [...programs.values()].every((one) => one !== undefined);
  // Without a program there is nothing to rebuild: then the shell says that it is not there.
  if (outline.unclear !== undefined || !isComplete) return { ...common, script: text };
  const rebuilt = rebuildCommand(outline, (program) => programs.get(program)?.path);
  if ("argv" in rebuilt) return { ...common, argv: rebuilt.argv };
  if (shell === undefined) return { ...common, ...rebuilt };
  return { ...common, script: rebuilt.script, shell: shell.path, expect: [...used, shell] };
}

/** All that makes this call another one when it changes, by name. */
function factsOf({ cwd, environment, programs, scripts }: Found): Record<string, string> {
  const facts: Record<string, string> = { environment, folder: `${cwd.realPath}\0${cwd.version}` };
  for (const [name, one] of programs) {
    facts[`program ${name}`] = one === undefined ? "" : `${one.path}\0${one.realPath}\0${one.version}`;
  }
  for (const [name, one] of scripts) {
    facts[`script ${name}`] = one === undefined ? "" : `${one.realPath}\0${one.sha256 ?? one.version}`;
  }
  return facts;
}

function subjectOf({ text, cwd, commands, unclear }: CommandOutline): CommandSubject {
  return { text, cwd, commands: commands.map(plannedOf), ...(unclear === undefined ? {} : { unclear }) };
}

/** Without what only rebuilding needs. */
function plannedOf(command: OutlinedCommand): PlannedCommand {
  const { name, path, builtin, argv, through, harmless, notHarmless, carrier } = command;
  return {
    name,
    argv,
    through,
    ...(path === undefined ? {} : { path }),
    ...(builtin === undefined ? {} : { builtin }),
    ...(harmless === undefined ? {} : { harmless }),
    ...(notHarmless === undefined ? {} : { notHarmless }),
    ...(carrier === undefined ? {} : { carrier }),
  };
}
