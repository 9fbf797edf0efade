import { type CommandTemplate, type TemplateCommand, quoteWord } from "@haft/commands";
import {
  type ContentBlock,
  isPromptComplete,
  type ExecutionTarget,
  promptText,
  text,
} from "@haft/plugin-sdk";
import type { ShellName } from "../sessions/resolve-shell.ts";
import type { ContainmentExemption } from "./containment-exemption.ts";
import type { ResolvedPlanFiles } from "./find-programs.ts";
import { HOST_BY_TARGET } from "./refuse-request.ts";

const MAX_LISTED = 50;

interface Circumstances {
  target: ExecutionTarget;
  node?: { id: string; name: string; workspace: string };
  shell?: ShellName;
  env: Readonly<Record<string, string>>;
  pty: boolean;
  background: boolean;
  asks?: string;
  leftOut?: readonly string[];
  leave?: ContainmentExemption;
}

/** Shows where and how a command runs, its text and result, and the files that the answer covers. */
export function previewCommand(
  outline: CommandTemplate,
  found: ResolvedPlanFiles,
  { target, node, shell, env, pty, background, asks, leftOut = [], leave }: Circumstances,
): { preview: readonly ContentBlock[]; isWhole: boolean } {
  const { commands, cwd, unclear } = outline;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const input = openInput(pty, background);
  const parts = [
    `Command:\n${toCodeFence("sh", outline.text)}`,
    `Host: ${HOST_BY_TARGET[target]}${node === undefined ? "" : ` ${toSingleLine(node.name)} (${toSingleLine(node.id)})`}`,
    ...(node === undefined ? [] : [`Workspace: ${toSingleLine(node.workspace)}`]),
    ...leaving(leave),
    `CWD: ${toSingleLine(cwd)}`,
    ...(shell === undefined ? [] : [`Shell: ${shell}`]),
    ...(input === undefined ? [] : [input]),
    ...(variables.length === 0 ? [] : [`Variables:\n${toCodeFence("", variables.join("\n"))}`]),
    unclear === undefined
      ? `Runs:\n${listed(commands.map((command) => describe(command, found)))}`
      : `Unclear: ${toSingleLine(unclear)}. Its programs are uncertain, so it would run as a whole.`,
    ...(asks === undefined || unclear !== undefined ? [] : [`Also: ${toSingleLine(asks)}.`]),
    ...(leftOut.length === 0 || unclear !== undefined
      ? []
      : [`Ignored settings of the repository: ${leftOut.map(toSingleLine).join(", ")}.`]),
    ...filesOf(outline, found),
  ];
  const named = [...commands, ...found.scripts, ...found.sources];
  const words = commands.map((command) => describe(command, found)).join("\n");
  const isWhole =
    named.length <= MAX_LISTED && [outline.text, variables.join("\n"), words].every(isPromptComplete);
  return { preview: [text(parts.join("\n"))], isWhole };
}

function leaving({ outside, reason, hosts, forward }: ContainmentExemption = {}): string[] {
  const why = reason === undefined ? undefined : `because (it says): ${toSingleLine(reason)}`;
  if (outside === true) return [`Leaves the view of its session, ${why}`];
  return [
    ...(hosts === undefined
      ? []
      : [`Lets all commands of the session reach, from now on: ${hosts.map(toSingleLine).join(", ")}`]),
    ...(forward === undefined
      ? []
      : [`Lets every program on this machine, also browsers, reach its port ${forward} while it runs`]),
    ...(why === undefined ? [] : [`Asks for this ${why}`]),
  ];
}

function openInput(pty: boolean, background: boolean): string | undefined {
  const later = "its input stays open, and later input is not part of this answer.";
  if (pty && background) return `Runs in the background, on a terminal: ${later}`;
  if (pty) return `Runs on a terminal: ${later}`;
  return background ? `Runs in the background: ${later}` : undefined;
}

function describe(command: TemplateCommand, { interpreters }: ResolvedPlanFiles): string {
  const { name, path, builtin, cwd, through, programs } = command;
  const behind = through.length === 0 ? "" : ` (through ${through.join(", ")})`;
  const runner = builtin === true ? undefined : interpreters.get(programs.at(-1) ?? "")?.at(-1);
  const runBy =
    runner === undefined ? "" : `, run by ${runner.found?.realPath ?? `${runner.name}, which is missing`}`;
  const words = command.expanded === true ? `, as ${command.argv.map(quotePlain).join(" ")}` : "";
  return `${name}: ${path ?? (builtin === true ? "the shell itself" : "not found")}${runBy}${behind}, in ${cwd}${words}`;
}

function quotePlain(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : quoteWord(word);
}

function filesOf({ unclear, commands }: CommandTemplate, found: ResolvedPlanFiles): string[] {
  const { scripts, sources, interpreters } = found;
  const tied = [...scripts, ...sources].flatMap(([path, one]) => (one === undefined ? [] : [path]));
  const readers = commands.filter(
    ({ readsMore, programs }) => readsMore === true || interpreters.has(programs.at(-1) ?? ""),
  );
  const names = [...new Set(readers.map(({ name }) => name))];
  const others =
    unclear !== undefined
      ? "files it reads or starts"
      : names.length > 0
        ? `files that ${names.join(", ")} ${names.length > 1 ? "read or start" : "reads or starts"}`
        : undefined;
  const beside = tied.length > 0 ? " beside these" : "";
  return [
    ...(tied.length === 0 ? [] : [`With these files as they are now:\n${listed([...new Set(tied)])}`]),
    ...(others === undefined
      ? []
      : [`Not part of the answer: ${toSingleLine(others)}${beside}; they can change later.`]),
  ];
}

function listed(all: readonly string[]): string {
  const lines = all.slice(0, MAX_LISTED).map((one) => `- ${toSingleLine(one)}`);
  if (all.length > MAX_LISTED) lines.push(`- … and ${all.length - MAX_LISTED} more`);
  return lines.join("\n");
}

export function toSingleLine(value: string): string {
  return promptText(value).replaceAll("\n", "\\n");
}

export function toCodeFence(language: string, value: string): string {
  const body = promptText(value);
  const longest = Math.max(2, ...(body.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}
