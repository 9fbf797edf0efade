import {
  type CallPlan,
  type ProcessSpec,
  type ToolResult,
  withoutUndefined,
  type Workspace,
} from "@haft/plugin-sdk";
import { isAbsolute } from "node:path";
import { DEFAULT_TIMEOUT_SECONDS, DEFAULT_YIELD_MS, MAX_YIELD_MS, MIN_YIELD_MS } from "../defaults.ts";
import { commandToolError } from "../errors.ts";
import { formatUnusedRequests } from "../plan/containment-exemption.ts";
import { refuseUnansweredRequests } from "../plan/refuse-request.ts";
import {
  checkUnplannedCommand,
  getPlannedNotices,
  readTargetNotices,
  type CommandPlanData,
  type StartSpec,
  toStartSpec,
} from "../plan/start-spec.ts";
import { resolveTargetWorkspace } from "../plan/target-workspace.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { newOutput } from "../sessions/new-output.ts";
import { resolveShell } from "../sessions/resolve-shell.ts";
import { requireProcesses, sessionBook } from "../sessions/session-book.ts";
import type { StartingCall } from "../sessions/starting-call.ts";
import { TERMINAL_SIZE } from "../sessions/terminal-view.ts";
import { endedResult, type ExecToolDetails, runningResult } from "./exec-result.ts";
import type { ExecToolInput, ExecToolOptions } from "./exec-schema.ts";
import { notifyExit } from "./notify-exit.ts";
import { FIRST_WAIT_MS, waitForCommand } from "./wait-for-command.ts";
import { TAIL_BUDGET, readTail } from "./watch-output.ts";

export async function planExec(
  params: ExecToolInput,
  workspace: Workspace,
  { allowBackground = true, shell }: ExecToolOptions,
): Promise<CallPlan> {
  requireText(params);
  const place = await resolveTargetWorkspace(params, workspace);
  const { command, workdir, env, pty, background, security, ask, elevated } = params;
  const { outside, reason, network, forward } = params;
  // The first time what runs commands is started while the code is loaded.
  const [{ planCommand }, { name }] = await Promise.all([
    import("../plan/plan-command.ts"),
    resolveShell(requireProcesses(place), shell),
  ]);
  return planCommand(place, {
    elsewhere: place !== workspace,
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

export async function runExec(
  params: ExecToolInput,
  { signal, onUpdate, context, options }: StartingCall<ExecToolOptions, ExecToolDetails>,
): Promise<ToolResult<ExecToolDetails>> {
  const allowBackground = options.allowBackground ?? true;
  requireText(params);
  const planned = context.plan as CommandPlanData | undefined;
  // Whatever its name means by now: what was decided about is what runs.
  const wishes = planned?.node === undefined ? params : { host: "node" as const, node: planned.node };
  const workspace = await resolveTargetWorkspace(wishes, context.workspace);
  const { cwd, target, containment, node } = workspace.describe();
  if (planned === undefined) refuseUnansweredRequests(params, containment !== undefined);
  const chosen = await resolveShell(requireProcesses(workspace), options.shell);
  const shell = planned === undefined ? chosen.name : planned.shell;
  if (planned === undefined)
    await checkUnplannedCommand(params.command, shell ?? "sh", { cwd, isHere: target === "host" });
  const scope = options.scopeKey ?? context.sessionKey;
  const book =
    workspace === context.workspace
      ? sessionBook(workspace, scope)
      : sessionBook(context.workspace, scope).forWorkspace(workspace);
  const background = allowBackground && params.background === true;
  const timeoutSeconds = params.timeoutSeconds ?? options.timeoutSec ?? DEFAULT_TIMEOUT_SECONDS;
  const patienceMs = allowBackground ? patience(params, options) : undefined;
  // A terminal has to be attended from its start on.
  const waitMs = background || params.pty === true ? 0 : Math.min(FIRST_WAIT_MS, patienceMs ?? FIRST_WAIT_MS);
  const session = await book.start(
    specOf(params, toStartSpec(planned, params.command, params.workdir, shell), background, timeoutSeconds),
    {
      signal,
      waitMs,
      shell,
      title: params.title,
      isBackgrounded: background,
    },
  );
  if (session.info.pty) session.terminal.attend();
  // As it was when it started: what lies under its name later says nothing of what runs.
  if (planned !== undefined) session.input = { takesCode: planned.takesCode };
  const notices = [
    ...(workspace === context.workspace || node === undefined ? [] : [`[ran on the node ${node.name}]`]),
    ...workdirNotices(params.workdir, session.info.cwd),
    ...(chosen.notice === undefined ? [] : [chosen.notice]),
    ...getPlannedNotices(planned),
    ...formatUnusedRequests(params, containment !== undefined),
  ];
  if (!background) {
    const left = patienceMs === undefined ? undefined : patienceMs - waitMs;
    await waitForCommand(book, session, { signal, onUpdate, patienceMs: left });
    if (session.hasEnded) {
      const output = await newOutput(session, session.acknowledge());
      await throwIfLost(session, { missed: output.dropped > 0, book });
      session.deliver(output.position, signal, true);
      const isKept = output.omitted > 0 && allowBackground;
      session.isBackgrounded = isKept;
      if (!isKept) book.forgetSoon(session);
      const met =
        session.info.outside === true ? undefined : { command: params.command, output: output.text };
      return endedResult(session, output, {
        notices: [...readTargetNotices(workspace, met), ...notices, ...endedForward(planned)],
        timeoutSeconds,
        isKept,
      });
    }
    session.isBackgrounded = true;
  }
  notifyExit(session, context.sessionKey, options);
  const tail = background ? "" : await showSoFar(session, signal);
  return runningResult(session, tail, [...readTargetNotices(workspace), ...notices]);
}

function requireText(params: ExecToolInput): void {
  if (params.command.trim() === "")
    throw commandToolError("INVALID_ARGUMENTS", "Provide a command to start.", {
      fix: "Put the shell command into `command`.",
    });
}

function specOf(
  params: ExecToolInput,
  start: StartSpec,
  background: boolean,
  timeoutSeconds: number,
): ProcessSpec {
  const { env, pty } = params;
  return withoutUndefined({
    ...start,
    env,
    pty: pty === true ? TERMINAL_SIZE : undefined,
    // Nobody can answer a command in the foreground, so it need not ask.
    stdin: background ? "open" : "closed",
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined,
  });
}

async function showSoFar(session: CommandSession, signal: AbortSignal): Promise<string> {
  const output = await newOutput(session, session.acknowledge(), TAIL_BUDGET);
  if (output.omitted > 0) return readTail(session);
  session.deliver(output.position, signal, false);
  return output.text;
}

/** How long a call waits for its command; `undefined`: to its end. */
function patience({ yieldMs }: ExecToolInput, options: ExecToolOptions): number | undefined {
  const { backgroundMs, longestWaitMs } = options;
  if (yieldMs === undefined && backgroundMs === "never" && longestWaitMs === undefined) return undefined;
  const wanted = [yieldMs, backgroundMs].filter((one) => typeof one === "number").find(Number.isFinite);
  const most = Math.min(longestWaitMs ?? MAX_YIELD_MS, MAX_YIELD_MS);
  const byDefault = backgroundMs === "never" ? most : DEFAULT_YIELD_MS;
  return Math.max(Math.min(wanted ?? byDefault, most), MIN_YIELD_MS);
}

function endedForward(planned: CommandPlanData | undefined): string[] {
  const port = planned?.spec.forward;
  return port === undefined
    ? []
    : [
        `[forward: the command has ended, and with it the way to its port ${port}. Start a server with background: true]`,
      ];
}

/** A relative folder is right, but which one it was should not have to be guessed. */
function workdirNotices(workdir: string | undefined, cwd: string): string[] {
  return workdir === undefined || isAbsolute(workdir)
    ? []
    : [`[workdir ${JSON.stringify(workdir)}: ran in ${cwd}]`];
}
