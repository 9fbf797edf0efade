import { type ContentBlock, contentToText, HaftError } from "@haft/core";
import type { CallOptions, CallRequest, ExplainOptions, Session } from "@haft/core/kernel";
import { asRecord } from "@haft/utils";
import { type Caller, createCaller, type CallHints, canRunConcurrently } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { ANY_PROVIDER, toProviderTools } from "../outgoing/provider-tools.ts";
import { resolveSender, type CallSenderSource } from "../outgoing/sender.ts";

/**
 * Options of {@link toPi}.
 *
 * @example
 * ```ts
 * import { toPi, type ToPiOptions } from "@haft/adapters/pi";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const options: ToPiOptions = { approvals: "pi", sender: { name: "ada" } };
 * const tools = toPi(session, options);
 * ```
 */
export interface ToPiOptions {
  /**
   * Who asks a person about a call that needs approval. `session` (default): the session's approver. `pi`: pi's user interface. If it is
   * missing, the model reads that the call waits.
   */
  approvals?: "session" | "pi";
  /** Sender of the answered message. Default: the sender of the session. A function receives the context that pi passes to a tool. */
  sender?: CallSenderSource;
}

/** A result in pi's format: texts and images in order, and details for programs. */
export interface PiResult {
  /** Content for the model. */
  content: ContentBlock[];
  /** Details for programs. */
  details: Record<string, unknown>;
}

/**
 * A tool of a session for `pi.registerTool()`, `customTools` and agents of `pi-agent-core`.
 *
 * @example
 * ```ts
 * import { toPi, type PiTool } from "@haft/adapters/pi";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * const readOnly: PiTool[] = toPi(session).filter(({ executionMode }) => executionMode === "parallel");
 * ```
 */
export interface PiTool {
  /** Name for the model. */
  name: string;
  /** Name that people read. */
  label: string;
  /** Description for the model. */
  description: string;
  /** JSON Schema of the arguments. pi validates by it before a call. */
  // pi expects the type of a TypeBox schema.
  // oxlint-disable-next-line typescript/no-explicit-any
  parameters: any;
  /** Whether calls may run concurrently with others. */
  executionMode: "parallel" | "sequential";
  /** Whether pi may repeat a call with an unknown end. */
  replay: "safe" | "never";
  /** Runs the call in the session. Without success, it rejects with the text for the model, as pi requires. */
  execute: (
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: PiResult) => void,
    context?: unknown,
  ) => Promise<PiResult>;
}

/**
 * Returns the tools of a session for the coding agent pi.
 *
 * Every call goes to `session.call()`. pi itself refuses unknown names and invalid arguments, which do not reach the session. The tools are
 * a snapshot.
 *
 * @throws `BRIDGE_INVALID` for an invalid session or option
 *
 * @example
 * ```ts
 * import { toPi } from "@haft/adapters/pi";
 * import type { Session } from "@haft/core/kernel";
 * declare const session: Session;
 * export default (pi: { registerTool: (tool: object) => void }) => {
 *   for (const tool of toPi(session)) pi.registerTool(tool);
 * };
 * ```
 */
export function toPi(session: Session, options: ToPiOptions = {}): PiTool[] {
  checkOutgoing("toPi", session, options, { approvals: ["session", "pi"], sender: "sender of calls" });
  const asks = options.approvals === "pi";
  const caller = createCaller(session);
  return toProviderTools(session, ANY_PROVIDER).tools.map(({ name, description, schema }) => {
    const isQuiet = canRunConcurrently(session, name);
    return {
      name,
      label: name,
      description,
      parameters: schema,
      executionMode: isQuiet ? "parallel" : "sequential",
      replay: isQuiet ? "safe" : "never",
      async execute(id, args, signal, onUpdate, context) {
        const call = { id, name, arguments: args };
        const of = resolveSender("toPi", options.sender, context);
        if (HaftError.is(of)) throw of;
        const answer = asks ? await askUser(session, call, { signal, context, of }) : undefined;
        return made(caller, call, { ...(signal && { signal }), ...of }, onUpdate, {
          getDecision: () => answer,
        });
      },
    };
  });
}

type Update = Parameters<PiTool["execute"]>[3];

async function made(
  caller: Caller,
  call: CallRequest,
  options: CallOptions,
  onUpdate: Update,
  known: CallHints,
): Promise<PiResult> {
  const { kind, content, details } = await caller.call(
    call,
    {
      ...options,
      ...(onUpdate && {
        onUpdate: (partial) => onUpdate({ content: partial.content, details: asRecord(partial.details) }),
      }),
    },
    known,
  );
  if (kind !== "ok") throw new Error(contentToText(content));
  return { content, details };
}

/** Asks in pi's user interface if the session would ask. Only an explicit approval counts; returns `undefined` without a user interface. */
async function askUser(
  session: Session,
  { name, arguments: args }: CallRequest,
  { signal, context, of }: { signal: AbortSignal | undefined; context: unknown; of: ExplainOptions },
): Promise<"allow-once" | "deny" | undefined> {
  const { hasUI, ui } = asRecord(context);
  const { confirm } = asRecord(ui);
  if (hasUI !== true || typeof confirm !== "function") return undefined;
  const { verdict, reason, plan } = await session.explain(name, args, of);
  if (verdict !== "asks") return undefined;
  const shown = plan === undefined ? JSON.stringify(args, null, 2) : contentToText(plan.preview);
  const said = await (confirm as Confirm).call(ui, `Run ${name}?`, `${reason}\n\n${shown}`, { signal });
  return said === true ? "allow-once" : "deny";
}

type Confirm = (title: string, message: string, options: { signal: AbortSignal | undefined }) => unknown;
