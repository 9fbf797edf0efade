import { Type, type TSchema } from "@sinclair/typebox";
import type { RegistryOptions } from "../../src/compose/registry-options.ts";
import { Registry } from "../../src/compose/registry.ts";
import type { SessionEvent } from "../../src/contract/events.ts";
import type { Decision, Policy, ToolFacts } from "../../src/contract/policy-port.ts";
import type { Logger, ExecutionTarget, Workspace } from "../../src/contract/ports.ts";
import type { Plugin, PluginToolFactory } from "../../src/contract/registration.ts";
import { text, contentToText, type ToolOutcome, type ToolResult } from "../../src/contract/result.ts";
import type { AnyTool, Tool } from "../../src/contract/tool.ts";
import { SessionFactory } from "../../src/session/session-factory.ts";
import type { SessionEnvironment, SessionOptions } from "../../src/session/session-options.ts";
import type { Session } from "../../src/session/session.ts";

/** A tool that answers "done"; every part can be replaced. */
export function makeTool<Parameters extends TSchema = TSchema>(
  name: string,
  parts: Partial<Tool<Parameters>> = {},
): AnyTool {
  return {
    name,
    description: `The tool ${name}.`,
    parameters: Type.Object({}),
    effects: [],
    execute: () => answer("done"),
    ...parts,
  };
}

/** A tool with one text parameter, `value`, that answers with it. */
export function echo(name = "echo", parts: Partial<AnyTool> = {}): AnyTool {
  return makeTool(name, {
    parameters: Type.Object({ value: Type.String() }),
    execute: (_id, { value }) => answer(String(value)),
    ...parts,
  });
}

export function answer(value: string, details: Record<string, unknown> = {}): ToolResult {
  return { content: [text(value)], details };
}

export function createPlugin(id: string, tools: readonly AnyTool[], parts: Partial<Plugin> = {}): Plugin {
  return {
    id,
    tools: tools.map((tool) => ({ factory: () => tool, names: [tool.name], scope: "host" as const })),
    ...parts,
  };
}

/** A plugin whose tools are made by a factory of its own. */
export function factoryPlugin(id: string, names: string[], factory: PluginToolFactory): Plugin {
  return { id, tools: [{ factory, names }] };
}

/** A workspace of which only the description matters: the kernel itself never touches a file. */
export function stubWorkspace(place: ExecutionTarget = "host"): Workspace {
  return {
    fs: {} as never,
    describe: () => ({ target: place, cwd: "/work", mounts: [], boundary: "none" }),
  };
}

export function decide(effect: Decision["effect"], reason = `${effect} everything`): Decision {
  return { effect, id: `test-${effect}`, reason, trace: [] };
}

export interface PolicyRules {
  visibility?: (tool: ToolFacts) => Decision["effect"];
  call?: (tool: ToolFacts, args: unknown) => Decision["effect"];
}

/** Allows everything its rules do not decide otherwise. */
export function createTestPolicy({
  visibility = () => "allow",
  call = () => "allow",
}: PolicyRules = {}): Policy {
  const session = {
    visibility: (tool: ToolFacts) => decide(visibility(tool)),
    call: (tool: ToolFacts, args: unknown) => decide(call(tool, args)),
  };
  return { forSession: () => session };
}

export interface TestSession extends Partial<Omit<SessionEnvironment, "registry">> {
  tools?: readonly AnyTool[];
  plugins?: readonly Plugin[];
  registry?: Partial<RegistryOptions>;
  open?: Partial<SessionOptions>;
}

/** A factory of sessions over the given tools (as the plugin `t`) and plugins. */
export function makeFactory(setup: TestSession): SessionFactory {
  const { tools = [], plugins = [], registry, open: _open, ...environment } = setup;
  const listed = tools.length > 0 ? [createPlugin("t", tools)] : [];
  return new SessionFactory({
    registry: new Registry({ plugins: [...listed, ...plugins], ...registry }),
    policy: createTestPolicy(),
    abortGraceMs: 50,
    ...environment,
  });
}

export function openSession(setup: TestSession = {}): Promise<Session> {
  return makeFactory(setup).open({ kind: "main", workspace: stubWorkspace(), ...setup.open });
}

/** Records every event of a session from now on. */
export function watch(session: Session): SessionEvent[] {
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return events;
}

export function eventTypes(events: readonly SessionEvent[], toolCallId?: string): string[] {
  return events
    .filter((event) => toolCallId === undefined || ("toolCallId" in event && event.toolCallId === toolCallId))
    .map((event) => event.type);
}

export function getCode(outcome: ToolOutcome): string {
  return outcome.kind === "ok" ? "ok" : outcome.code;
}

export function getOutcomeText(outcome: ToolOutcome): string {
  return contentToText(outcome.content);
}

/** A promise and the functions that settle it. */
export function createGate<T = void>() {
  return Promise.withResolvers<T>();
}

/**
 * Waits until everything has gone on that needs no time: so many turns of the event loop, whatever they take. The
 * pipeline is loaded with the first call, which is the one thing of the kernel that takes longer.
 */
export async function waitUntilSettled(): Promise<void> {
  await import("../../src/kernel/pipeline.ts");
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function sleep(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}

/** A logger that keeps what it is told. */
export function memoryLogger(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  return { lines, debug: write, info: write, warn: write, error: write };
}

/** A function that throws this. */
export const createThrower = (thrown: unknown) => (): never => {
  throw thrown;
};
