import { withoutUndefined } from "@haft/utils";
import { Registry } from "../compose/registry.ts";
import { definePlugin } from "../contract/define-plugin.ts";
import type { HaftError } from "../contract/errors.ts";
import type { Decision, Policy } from "../contract/policy-port.ts";
import type { Workspace } from "../contract/ports.ts";
import type { ToolOutcome } from "../contract/result.ts";
import type { AnyTool } from "../contract/tool.ts";
import { coreError } from "../errors.ts";
import type { CallOptions, CallRequest } from "../kernel/call-options.ts";
import { createEarlyCancellation, createEarlyFailure } from "../kernel/outcome.ts";
import { SessionFactory } from "../session/session-factory.ts";
import type { SessionOptions } from "../session/session-options.ts";
import type { Session } from "../session/session.ts";
import type { BoundTarget } from "./bound-tool.ts";

/** Limits the memory of a session. */
const MAX_CALLS = 10_000;

const ALLOWED: Decision = Object.freeze({
  effect: "allow",
  id: "bound",
  reason: "Bound tools have no policy.",
  trace: [],
});
const NO_POLICY: Policy = { forSession: () => ({ visibility: () => ALLOWED, call: () => ALLOWED }) };

interface Opened {
  session: Promise<Session>;
  workspace: Workspace;
  ids: Set<string>;
  calls: number;
  running: number;
}

let sets = 0;

export class PrivateCalls {
  readonly #target: BoundTarget;
  readonly #factory: SessionFactory;
  /** Shared by its sessions, so that background commands are found. */
  readonly #key = `bound-${++sets}`;
  #opened: Opened | undefined;
  #closing: Promise<void> | undefined;
  #refused = 0;

  constructor(tools: readonly AnyTool[], target: BoundTarget) {
    this.#target = target;
    const plugin = definePlugin({ id: "bound", tools: tools.map(unplanned) });
    // Programs cannot answer requests, and may repeat calls.
    const environment = { approvalMode: "deny", loopGuard: false } as const;
    const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
    this.#factory = new SessionFactory({ registry, policy: NO_POLICY, ...environment });
  }

  async call(
    id: string | undefined,
    name: string,
    args: unknown,
    options: CallOptions,
  ): Promise<ToolOutcome> {
    let opened: Opened | undefined;
    try {
      if (options.signal instanceof AbortSignal && options.signal.aborted)
        return createEarlyCancellation(id ?? this.#newId(), name);
      if (this.#closing) throw closed();
      opened = await this.#open();
      const session = await opened.session;
      const isNew = id !== undefined && !opened.ids.has(id);
      if (isNew) opened.ids.add(id);
      return await session.call(
        withoutUndefined<CallRequest>({ id: isNew ? id : undefined, name, arguments: args }),
        options,
      );
    } catch (thrown) {
      return createEarlyFailure(id ?? this.#newId(), name, thrown);
    } finally {
      if (opened !== undefined && --opened.running === 0 && opened !== this.#opened) await end(opened);
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Identifies a call that reaches no session. */
  #newId(): string {
    return `${this.#key}-${++this.#refused}`;
  }

  async #open(): Promise<Opened> {
    const { kind = "main", model } = this.#target;
    const workspace = await this.#target.workspace();
    if (this.#closing) throw closed();
    let opened = this.#opened;
    if (opened === undefined || opened.workspace !== workspace || opened.calls >= MAX_CALLS) {
      if (opened !== undefined && opened.running === 0) void end(opened);
      const options = withoutUndefined<SessionOptions>({ kind, workspace, model, sessionKey: this.#key });
      const session = this.#factory.open(options);
      opened = this.#opened = { session, workspace, ids: new Set(), calls: 0, running: 0 };
    }
    opened.calls++;
    opened.running++;
    return opened;
  }

  async #close(): Promise<void> {
    if (this.#opened !== undefined) await end(this.#opened);
    await this.#target.close?.();
  }
}

async function end({ session }: Opened): Promise<void> {
  const opened = await session.catch(() => undefined);
  await opened?.close();
}

/** Without a plan, a tool refuses actions that need a decision. */
function unplanned(tool: AnyTool): AnyTool {
  return Object.create(tool, { plan: { value: undefined }, wantsPlan: { value: undefined } }) as AnyTool;
}

function closed(): HaftError {
  return coreError("SESSION_CLOSED", "These tools are closed.", { fix: "Make them again." });
}
