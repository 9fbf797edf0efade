import type { CallPlan, ProcessSpec, ToolContext, ToolResult, Workspace } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { isAbsolute } from "node:path";
import { DEFAULT_TIMEOUT_SECONDS, DEFAULT_YIELD_MS, MAX_YIELD_MS, MIN_YIELD_MS } from "../defaults.ts";
import { commandToolError } from "../errors.ts";
import { formatUnusedRequests } from "../plan/containment-exemption.ts";
import { refuseUnansweredRequests } from "../plan/refuse-request.ts";
import {
  checkUnplannedCommand,
  type CommandPlanData,
  getPlannedNotices,
  readTargetNotices,
  toStartSpec,
} from "../plan/start-spec.ts";
import { resolveTargetWorkspace } from "../plan/target-workspace.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { newOutput } from "../sessions/new-output.ts";
import { resolveShell } from "../sessions/resolve-shell.ts";
import { requireProcesses, sessionBook } from "../sessions/session-book.ts";
import { TERMINAL_SIZE } from "../sessions/terminal-view.ts";
import { endedResult, type ExecEndedDetails, type ExecRunningDetails, runningResult } from "./exec-result.ts";
import type { ExecArguments, ExecToolOptions } from "./exec-types.ts";
import { FIRST_WAIT_MS } from "./wait-for-command.ts";
import { readTail, TAIL_BUDGET } from "./watch-output.ts";

export { resolveTargetWorkspace } from "../plan/target-workspace.ts";
export { notifyExit } from "./notify-exit.ts";
export { waitForCommand } from "./wait-for-command.ts";

interface ExecCall {
  params: ExecArguments;
  signal: AbortSignal;
  context: ToolContext;
  options: ExecToolOptions;
  timing: ReturnType<typeof resolveTiming>;
}

/** @throws `INVALID_ARGUMENTS` */
export function requireCommand(params: ExecArguments): void {
  if (params.command.trim() !== "") return;
  const fix = "Put the shell command into `command`.";
  throw commandToolError("INVALID_ARGUMENTS", "Provide a command to start.", { fix });
}

export async function planExec(
  params: ExecArguments,
  target: Workspace,
  elsewhere: boolean,
  { allowBackground = true, shell }: ExecToolOptions,
): Promise<CallPlan> {
  const { command, workdir, env, pty, background, security, ask, elevated } = params;
  const { outside, reason, network, forward } = params;
  const [{ planCommand }, { name }] = await Promise.all([
    import("../plan/plan-command.ts"),
    resolveShell(requireProcesses(target), shell),
  ]);
  return planCommand(target, {
    elsewhere,
    text: command,
    shell: name,
    workdir,
    env,
    pty,
    background: allowBackground && background,
    wishes: withoutUndefined({ security, ask, elevated }),
    leave: { outside, reason, network, forward },
  });
}

/** Returns the timeout (0: none), the wait for the start, and the wait of the call (`undefined`: to the end). */
export function resolveTiming(params: ExecArguments, options: ExecToolOptions) {
  const { allowBackground = true } = options;
  const background = allowBackground && params.background === true;
  const timeoutSeconds = params.timeoutSeconds ?? options.timeoutSec ?? DEFAULT_TIMEOUT_SECONDS;
  const wholeMs = allowBackground ? patience(params, options) : undefined;
  // A terminal must be attended from its start.
  const waitMs = background || params.pty === true ? 0 : Math.min(FIRST_WAIT_MS, wholeMs ?? FIRST_WAIT_MS);
  const patienceMs = wholeMs === undefined ? undefined : wholeMs - waitMs;
  return { background, timeoutSeconds, waitMs, patienceMs };
}

function patience({ yieldMs }: ExecArguments, options: ExecToolOptions): number | undefined {
  const { backgroundMs, longestWaitMs } = options;
  if (yieldMs === undefined && backgroundMs === "never" && longestWaitMs === undefined) return undefined;
  const wanted = [yieldMs, backgroundMs].filter((one) => typeof one === "number").find(Number.isFinite);
  const most = Math.min(longestWaitMs ?? MAX_YIELD_MS, MAX_YIELD_MS);
  const byDefault = backgroundMs === "never" ? most : DEFAULT_YIELD_MS;
  return Math.max(Math.min(wanted ?? byDefault, most), MIN_YIELD_MS);
}

/**
 * Selects workspace and shell, and checks commands without a plan.
 *
 * @throws `EXEC_UNAVAILABLE`, `EXEC_SELF_APPROVAL`, `COMMANDS_UNAVAILABLE`
 */
export async function resolveTarget({ params, context, options }: ExecCall) {
  const planned = context.plan as CommandPlanData | undefined;
  // The name of the decided node may now mean another node.
  const wishes = planned?.node === undefined ? params : { host: "node" as const, node: planned.node };
  const workspace = await resolveTargetWorkspace(wishes, context.workspace);
  const description = workspace.describe();
  if (planned === undefined) refuseUnansweredRequests(params, description.containment !== undefined);
  const { name, notice } = await resolveShell(requireProcesses(workspace), options.shell);
  const shell = planned === undefined ? name : planned.shell;
  if (planned === undefined) await checkUnplannedCommand(params.command, shell ?? "sh", description);
  const mainBook = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
  const book = workspace === context.workspace ? mainBook : mainBook.forWorkspace(workspace);
  return { workspace, description, book, shell, shellNotice: notice, planned };
}

type ExecTarget = Awaited<ReturnType<typeof resolveTarget>>;

export async function startCommand(
  { params, signal, timing }: ExecCall,
  { book, shell, planned }: ExecTarget,
): Promise<CommandSession> {
  const { background, timeoutSeconds, waitMs } = timing;
  const { command, workdir, env, pty, title } = params;
  const spec = withoutUndefined<ProcessSpec>({
    ...toStartSpec(planned, command, workdir, shell),
    env,
    pty: pty === true ? TERMINAL_SIZE : undefined,
    stdin: background ? "open" : "closed",
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined,
  });
  const session = await book.start(spec, { signal, waitMs, shell, title, isBackgrounded: background });
  if (session.info.pty) session.terminal.attend();
  // Another file may later have its name.
  if (planned !== undefined) session.input = { takesCode: planned.takesCode };
  return session;
}

export async function answerEnded(
  call: ExecCall,
  target: ExecTarget,
  session: CommandSession,
): Promise<ToolResult<ExecEndedDetails>> {
  const { params, signal, options, timing } = call;
  const { workspace, book, planned } = target;
  const output = await newOutput(session, session.acknowledge());
  await throwIfLost(session, { missed: output.dropped > 0, book });
  session.deliver(output.position, signal, true);
  const isStored = output.omitted > 0 && options.allowBackground !== false;
  session.isBackgrounded = isStored;
  if (!isStored) book.forgetSoon(session);
  const met = session.info.outside === true ? undefined : { command: params.command, output: output.text };
  const notices = [
    ...readTargetNotices(workspace, met),
    ...listNotices(call, target, session),
    ...endedForward(planned),
  ];
  return endedResult(session, output, { notices, timeoutSeconds: timing.timeoutSeconds, isKept: isStored });
}

export async function answerRunning(
  call: ExecCall,
  target: ExecTarget,
  session: CommandSession,
): Promise<ToolResult<ExecRunningDetails>> {
  const tail = call.timing.background ? "" : await showSoFar(session, call.signal);
  const notices = [...readTargetNotices(target.workspace), ...listNotices(call, target, session)];
  return runningResult(session, tail, notices);
}

async function showSoFar(session: CommandSession, signal: AbortSignal): Promise<string> {
  const output = await newOutput(session, session.acknowledge(), TAIL_BUDGET);
  if (output.omitted > 0) return readTail(session);
  session.deliver(output.position, signal, false);
  return output.text;
}

function listNotices(
  { params, context }: ExecCall,
  { workspace, description, shellNotice, planned }: ExecTarget,
  { info }: CommandSession,
): string[] {
  const { node, containment } = description;
  return [
    ...(workspace === context.workspace || node === undefined ? [] : [`[ran on the node ${node.name}]`]),
    ...workdirNotices(params.workdir, info.cwd),
    ...(shellNotice === undefined ? [] : [shellNotice]),
    ...getPlannedNotices(planned),
    ...formatUnusedRequests(params, containment !== undefined),
  ];
}

function endedForward(planned: CommandPlanData | undefined): string[] {
  const port = planned?.spec.forward;
  if (port === undefined) return [];
  const ended = `the command has ended, so its port ${port} is not reachable`;
  return [`[forward: ${ended}. Start a server with background: true]`];
}

function workdirNotices(workdir: string | undefined, cwd: string): string[] {
  if (workdir === undefined || isAbsolute(workdir)) return [];
  return [`[workdir ${JSON.stringify(workdir)}: ran in ${cwd}]`];
}
