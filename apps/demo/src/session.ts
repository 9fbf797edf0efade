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

/** What `--json` prints: each part adds its own, by its name. */
export interface Report extends Partial<Record<string, unknown>> {
  ok: boolean;
  durationMs: number;
  model: { kind: string; name: string };
  tests?: { before: TestRun; after?: TestRun };
  server?: { port: number; answer: string; processes: ReturnType<typeof findProcesses> };
  calls: { session: string; summary: string; outcome: ToolOutcome }[];
  ledger?: Record<string, readonly Readonly<ToolMeta>[]>;
  checks: Check[];
  /** The copy, when it was kept. */
  copy?: string;
}

export interface WatchedSession {
  readonly session: Session;
  readonly outcomes: readonly ToolOutcome[];
}

export interface Stage {
  readonly host: Host;
  readonly copy: ProjectCopy;
  /** The copy before anybody touched it. */
  readonly original: Snapshot;
  readonly model: DemoModel;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Sessions opened so far, by who speaks. They stay open to the end. */
  readonly sessions: Map<Speaker, WatchedSession>;
  /** What is closed when all was looked at, in this order. */
  readonly closing: (() => Promise<unknown>)[];
}

/** Looks at the disk, and at what was written down, after all parts have run. */
export type Verify = () => Promise<Check[]> | Check[];

export interface Part {
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly string[];
  run(stage: Stage, screen: Screen): Promise<Verify | undefined>;
}

type Policy = HostOptions["policy"];

/** The preset host on the copy, with one more plugin. By default approvals are denied. It is closed when all is over. */
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
    // So that `haft ledger replay` can play it again.
    record: "full",
    processes: { stateFolder: join(copy.root, "runs") },
    spoolDir: join(copy.root, "spool"),
    ...more,
  });
  closing.unshift(() => host.close());
  return host;
}

/** A whole plugin: one tool that sends a message. The effect `message` is what stops a message from going out twice. */
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

/** Does what a denial advises, word for word: `Add "write" to sessions.group.grant in the policy.` */
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

/** Opens the session of whoever speaks, and shows its calls as they end. */
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

/** What the ledger of somebody's session has, those of one tool alone where it is named. */
export function listCalls(
  { sessions }: Stage,
  who: Speaker,
  toolName?: string,
): readonly Readonly<ToolMeta>[] {
  const entries = sessions.get(who)?.session.ledger() ?? [];
  return entries.filter((entry) => toolName === undefined || entry.toolName === toolName);
}

/** The loop of `haft chat`: the model speaks and calls, until it is done. What it says is shown. */
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

/** Has the model repair the project in the sandbox that the session works in. */
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
