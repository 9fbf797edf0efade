import {
  defineTool,
  type Place,
  type ProcessSpec,
  type Static,
  type Tool,
  Type,
  withoutUndefined,
} from "@haft/plugin-sdk";
import { isAbsolute } from "node:path";
import { commandToolError } from "../errors.ts";
import { checkUnplanned, loadPlans } from "../plan/load-plans.ts";
import { asksPolicy, refuseHost, refuseUnanswered } from "../plan/refuse-request.ts";
import { noticesOf, type Planned, startSpecOf } from "../plan/start-spec.ts";
import { throwIfLost } from "../sessions/command-lost.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { newOutput } from "../sessions/new-output.ts";
import { sessionBook } from "../sessions/session-book.ts";
import { TERMINAL_SIZE } from "../sessions/terminal-view.ts";
import { endedResult, type ExecToolDetails, runningResult } from "./exec-result.ts";
import { type CommandNotice, notifyExit } from "./notify-exit.ts";
import { FIRST_WAIT_MS, waitForCommand } from "./wait-for-command.ts";
import { TAIL_BUDGET, tailOf } from "./watch-output.ts";

const DEFAULT_YIELD_MS = 10_000;
const LEAST_YIELD_MS = 10;
const MOST_YIELD_MS = 120_000;
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** One of several words. */
function choice<const Word extends string>(words: readonly Word[], description: string) {
  return Type.Optional(Type.Unsafe<Word>({ type: "string", enum: [...words], description }));
}

/** The parameters of `exec`. */
export const execSchema = Type.Object(
  {
    command: Type.String({ minLength: 1, description: "Shell command to run." }),
    workdir: Type.Optional(
      Type.String({ description: "Folder to run in, relative to the workspace; its root by default. No ~." }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Environment variables to set, taken literally.",
      }),
    ),
    yieldMs: Type.Optional(
      Type.Number({
        description: "Milliseconds to wait before it goes on in the background (default 10000).",
      }),
    ),
    background: Type.Optional(
      Type.Boolean({
        description: "Go on in the background at once, with standard input open for process write.",
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "End it after this time, also in the background (default 1800, 0 = never).",
      }),
    ),
    pty: Type.Optional(
      Type.Boolean({ description: "Run on a terminal: for REPLs, editors and programs that need one." }),
    ),
    elevated: Type.Optional(
      Type.Boolean({ description: "Run with elevated permissions, where that is configured." }),
    ),
    host: choice(
      ["auto", "sandbox", "gateway", "node"],
      "Where to run; auto is where this session runs commands.",
    ),
    security: choice(["deny", "allowlist", "full"], "Can only be stricter than what is configured."),
    ask: choice(["off", "on-miss", "always"], "Can only be stricter than what is configured."),
    node: Type.Optional(Type.String({ description: "Node to run on, with host=node." })),
    title: Type.Optional(Type.String({ description: "What it does in a few words, for people." })),
  },
  { additionalProperties: false },
);

/** Arguments of a call of `exec`. */
export type ExecToolInput = Static<typeof execSchema>;

/** Options of the `exec` tool. */
export interface ExecToolOptions {
  /** Milliseconds a call waits when it does not say; 10,000 by default, clamped to 10–120,000. */
  backgroundMs?: number;
  /** `false` where there is no `process` tool: every call then waits to the end. */
  allowBackground?: boolean;
  /** Seconds a command may run when the call does not say; 1,800 by default, 0 = no limit. */
  timeoutSec?: number;
  /** Whose commands these are; those of the calling session by default. The same for `process`. */
  scopeKey?: string;
  /** Told once of each background command that ends, unless the model already knows. */
  onExit?: (notice: CommandNotice) => void;
  /** Tell `onExit` also of commands that succeeded without any output; `false` by default. */
  notifyOnExitEmptySuccess?: boolean;
}

/** The `exec` tool: runs a shell command, and lets it go on in the background when it takes long. */
export function createExecTool(options: ExecToolOptions = {}): Tool<typeof execSchema, ExecToolDetails> {
  const allowBackground = options.allowBackground ?? true;
  return defineTool({
    name: "exec",
    label: "Exec",
    description:
      "Run a shell command in the workspace. Answers its output and exit code; a command that takes longer than " +
      "yieldMs goes on in the background and is followed with the process tool. Use background for servers and " +
      "pty for interactive programs.",
    parameters: execSchema,
    effects: ["execute"],
    aliases: {
      command: ["cmd"],
      workdir: ["cwd"],
      timeoutSeconds: ["timeout"],
      yieldMs: ["yield_ms"],
      background: ["run_in_background"],
    },
    groups: ["runtime"],
    progress: { volatileDetails: ["durationMs", "pid", "startedAt", "sessionId"] },
    wantsPlan: asksPolicy,
    async plan(params, { workspace }) {
      check(params, workspace.describe().place);
      const { command, workdir, env, pty, background, security, ask, elevated } = params;
      const { planCommand } = await loadPlans();
      return planCommand(workspace, {
        text: command,
        shell: "sh",
        workdir,
        env,
        pty,
        background: allowBackground && background,
        wishes: withoutUndefined({
          security,
          ask,
          elevated,
        }),
      });
    },
    async execute(_toolCallId, params, signal, onUpdate, context) {
      const { place, cwd } = context.workspace.describe();
      check(params, place);
      if (context.plan === undefined) {
        refuseUnanswered(params);
        await checkUnplanned(params.command, "sh", cwd);
      }
      const book = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
      const background = allowBackground && params.background === true;
      const timeoutSeconds = params.timeoutSeconds ?? options.timeoutSec ?? DEFAULT_TIMEOUT_SECONDS;
      const patienceMs = allowBackground ? patience(params, options) : undefined;
      // A terminal has to be attended from its start on.
      const waitMs =
        background || params.pty === true ? 0 : Math.min(FIRST_WAIT_MS, patienceMs ?? FIRST_WAIT_MS);
      const session = await book.start(specOf(params, context.plan, background, timeoutSeconds), {
        signal,
        waitMs,
        title: params.title,
        isBackgrounded: background,
      });
      if (session.info.pty) session.terminal.attend();
      // As it was when it started: what lies under its name later says nothing of what runs.
      if (context.plan !== undefined) session.input = { takesCode: (context.plan as Planned).takesCode };
      const notices = [...workdirNotices(params.workdir, session.info.cwd), ...noticesOf(context.plan)];
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
          return endedResult(session, output, { notices, timeoutSeconds, isKept });
        }
        session.isBackgrounded = true;
      }
      notifyExit(session, context.sessionKey, options);
      return runningResult(session, background ? "" : await showSoFar(session, signal), notices);
    },
  });
}

function check(params: ExecToolInput, place: Place): void {
  refuseHost(params, place);
  if (params.command.trim() === "") throw commandToolError("COMMAND_EMPTY", "Provide a command to start.");
}

function specOf(
  params: ExecToolInput,
  planned: unknown,
  background: boolean,
  timeoutSeconds: number,
): ProcessSpec {
  const { command, workdir, env, pty } = params;
  return withoutUndefined({
    ...startSpecOf(planned, command, workdir),
    env,
    pty: pty === true ? TERMINAL_SIZE : undefined,
    // Nobody can answer a command in the foreground, so it need not ask.
    stdin: background ? "open" : "closed",
    timeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined,
  });
}

/** The end of what there is; when that is all of it, the model need not be told again. */
async function showSoFar(session: CommandSession, signal: AbortSignal): Promise<string> {
  const output = await newOutput(session, session.acknowledge(), TAIL_BUDGET);
  if (output.omitted > 0) return tailOf(session);
  session.deliver(output.position, signal, false);
  return output.text;
}

/** How long a call waits for its command. */
function patience({ yieldMs }: ExecToolInput, { backgroundMs }: ExecToolOptions): number {
  const wanted = [yieldMs, backgroundMs].find((one) => one !== undefined && Number.isFinite(one));
  return Math.min(Math.max(wanted ?? DEFAULT_YIELD_MS, LEAST_YIELD_MS), MOST_YIELD_MS);
}

/** A relative folder is right, but which one it was should not have to be guessed. */
function workdirNotices(workdir: string | undefined, cwd: string): string[] {
  return workdir === undefined || isAbsolute(workdir)
    ? []
    : [`[workdir ${JSON.stringify(workdir)}: ran in ${cwd}]`];
}
