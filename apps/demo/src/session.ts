import { type AgentOptions, runAgent as runLoop } from "@haft/chat";
import { summarizeCall, type ToolMeta, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { createHost, type Host, type HostOptions, type HostSessionOptions } from "haft";
import { join } from "node:path";
import type { ProjectCopy, Check, findProcesses, Snapshot, TestRun } from "./inspect.ts";
import type { DemoModel } from "./model.ts";
import { paint, type Screen, showCall } from "./screen.ts";

export type Speaker = "owner" | "visitor" | "guest" | "traveller" | "ringer" | "developer" | "talker";

/** The output of `--json`, with each part by its name. */
export interface Report extends Partial<Record<string, unknown>> {
  ok: boolean;
  durationMs: number;
  model: { kind: string; name: string };
  tests?: { before: TestRun; after?: TestRun };
  server?: { port: number; answer: string; processes: ReturnType<typeof findProcesses> };
  calls: { session: string; summary: string; outcome: ToolOutcome }[];
  ledger?: Record<string, readonly Readonly<ToolMeta>[]>;
  checks: Check[];
  /** The remaining copy, if any. */
  copy?: string;
}

export interface WatchedSession {
  readonly session: Session;
  readonly outcomes: readonly ToolOutcome[];
}

export interface Stage {
  readonly host: Host;
  readonly copy: ProjectCopy;
  /** The copy before changes. */
  readonly original: Snapshot;
  readonly model: DemoModel;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Sessions by speaker, open to the end. */
  readonly sessions: Map<Speaker, WatchedSession>;
  /** Closed in this order after all checks. */
  readonly closing: (() => Promise<unknown>)[];
}

/** Checks disk and records after all parts. */
export type Verify = () => Promise<Check[]> | Check[];

export interface Part {
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly string[];
  run(stage: Stage, screen: Screen): Promise<Verify | undefined>;
}

type Policy = HostOptions["policy"];

/** The preset host on the copy with one more plugin; by default it denies approvals. */
export async function createDemoHost(
  { copy, closing }: Pick<Stage, "copy" | "closing">,
  policy: Policy = {},
  more: Partial<HostOptions> = {},
): Promise<Host> {
  const host = await createHost({
    workspaceDir: copy.project,
    plugins: [notifyPlugin(copy)],
    policy,
    approver: { ask: async () => "deny" },
    stateDir: join(copy.root, "state"),
    // For `haft ledger replay`.
    record: "full",
    processes: { stateFolder: join(copy.root, "runs") },
    spoolDir: join(copy.root, "spool"),
    ...more,
  });
  closing.unshift(() => host.close());
  return host;
}

/** A plugin whose tool sends a message; the effect `message` prevents a second send. */
function notifyPlugin(copy: ProjectCopy) {
  const notify = defineTool({
    name: "notify",
    description: "Send a message to a channel of the team.",
    parameters: Type.Object({ channel: Type.String(), text: Type.String({ minLength: 1 }) }),
    effects: ["message"],
    async execute(_toolCallId, { channel, text: message }) {
      copy.deliver(channel, message);
      return { content: [text(`Sent to ${channel}.`)], details: { channel } };
    },
  });
  return definePlugin({ id: "notify", tools: [notify] });
}

/** Applies a denial's advice literally: `Add "write" to sessions.group.grant in the policy.` */
export function applyAdvice(fix: string | undefined): Policy {
  const [, selector, path] = /^Add "([^"]+)" to ([a-z]+(?:\.[a-z]+)*) in /.exec(fix ?? "") ?? [];
  return path?.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), [selector]) as Policy;
}

const SESSIONS: Partial<Record<Speaker, HostSessionOptions>> = {
  visitor: { kind: "group", messageChannel: "team-chat" },
  guest: { kind: "group", sandbox: {} },
  traveller: { kind: "sandboxed" },
  ringer: { kind: "sandboxed" },
};

/** Opens the speaker's session, and shows its ended calls. */
export async function watchSession(stage: Stage, who: Speaker, screen: Screen, host = stage.host) {
  const outcomes: ToolOutcome[] = [];
  const session = await host.openSession(SESSIONS[who] ?? { kind: "main" });
  session.subscribe((event) => {
    if (event.type === "approval-requested") screen.prose(`? ${event.reason}`, 2, paint.yellow);
    if (event.type !== "tool-end") return;
    const { toolCallId, toolName, outcome } = event;
    const args = session.ledger().find((entry) => entry.toolCallId === toolCallId)?.args;
    const summary = summarizeCall(toolName, args, { format: "plain" });
    outcomes.push(outcome);
    stage.report.calls.push({ session: who, summary, outcome });
    showCall(screen, summary, outcome);
  });
  const watched: WatchedSession = { session, outcomes };
  stage.sessions.set(who, watched);
  return watched;
}

/** A session's recorded calls, all or of one tool. */
export function listCalls(
  { sessions }: Stage,
  who: Speaker,
  toolName?: string,
): readonly Readonly<ToolMeta>[] {
  const entries = sessions.get(who)?.session.ledger() ?? [];
  return entries.filter((entry) => toolName === undefined || entry.toolName === toolName);
}

/** The loop of `haft chat`, with the model's text shown. */
export async function runAgent({ signal }: Stage, screen: Screen, task: Omit<AgentOptions, "signal">) {
  let said = "";
  const result = await runLoop({
    ...task,
    signal,
    maxSteps: 30,
    onEvent(event) {
      if (event.type === "text") said += event.text;
      if (event.type !== "text-end") return;
      if (said.trim() !== "") screen.prose(`» ${said}`, 2, paint.cyan);
      said = "";
    },
  });
  signal.throwIfAborted();
  const { error } = result;
  if (error !== undefined) throw new Error(`The model did not answer: ${error.message}`, { cause: error });
  return result;
}

/** Repairs the project in the session's sandbox. */
export function repairInSandbox(stage: Stage, session: Session, screen: Screen) {
  return runAgent(stage, screen, {
    model: stage.model.guest,
    session,
    instructions: "You repair small JavaScript projects in a sandbox. Read before you change anything.",
    prompt:
      "A test of this project, which lies in a sandbox, fails. Run the tests as package.json says, find the cause, " +
      "repair it in src, and run them again. Leave everything else as it is. Paths are relative to the project.",
  });
}
