import type { HookCall, ToolHook } from "../../src/contract/hooks.ts";
import type { ToolOutcome } from "../../src/contract/result.ts";
import type { Session } from "../../src/session/session.ts";
import { echo, openSession, type TestSession } from "./kernel.ts";

/** A hook that does everything, and a list of what it was called for. */
export function recorder(name = "recorder"): { hook: ToolHook; log: string[] } {
  const log: string[] = [];
  const note = (step: string) => (call: HookCall) => void log.push(`${step} ${call.toolCallId}`);
  return {
    log,
    hook: {
      name,
      beforeToolCall: note("before"),
      transformResult: note("transform"),
      afterToolCall: note("after"),
    },
  };
}

/** A session with `echo` and these hooks. */
export function openHookedSession(hooks: readonly ToolHook[], setup: TestSession = {}): Promise<Session> {
  return openSession({ tools: [echo()], hooks, ...setup });
}

export function callEcho(session: Session, value: unknown = "a", id?: string): Promise<ToolOutcome> {
  return session.call({ ...(id === undefined ? {} : { id }), name: "echo", arguments: { value } });
}
