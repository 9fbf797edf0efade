import { type ContentBlock, contentToText } from "@haft/core";
import { asRecord } from "@haft/core/internal";
import type { CallOptions, CallRequest, ExplainOptions, Session } from "@haft/core/kernel";
import { type Caller, createCaller, type CallHints, canRunConcurrently } from "../outgoing/caller.ts";
import { checkOutgoing } from "../outgoing/check-outgoing.ts";
import { ANY_PROVIDER, toProviderTools } from "../outgoing/provider-tools.ts";
import { resolveSender, type CallSenderSource } from "../outgoing/sender.ts";

/** How the tools of a session are handed to pi. */
export interface ToPiOptions {
  /**
   * Who asks a person about a call that needs approval. `session` (default): the session's own approver; without one, the model is
   * told that the call waits. `pi`: its user interface, where it has one; without one the call is told to wait.
   */
  approvals?: "session" | "pi";
  /**
   * Whose message is answered: rules for senders hold for these calls. Default: the sender of the session. A function gets the context
   * that pi hands to a tool.
   */
  sender?: CallSenderSource;
}

/** What pi gets of a call: texts and images in their order, and facts for programs. */
export interface PiResult {
  /** For the model. */
  content: ContentBlock[];
  /** Of the tool. */
  details: Record<string, unknown>;
}

/** One tool of a session, for pi: for `pi.registerTool()`, `customTools`, and agents of `pi-agent-core`. */
export interface PiTool {
  /** To be called by. */
  name: string;
  /** For people. */
  label: string;
  /** For the model. */
  description: string;
  /** JSON Schema. pi validates by it before it calls. */
  // The type of a schema of TypeBox, which any JSON Schema is here.
  // oxlint-disable-next-line typescript/no-explicit-any
  parameters: any;
  /** Whether calls of it run beside others. */
  executionMode: "parallel" | "sequential";
  /** Whether a call whose end nobody knows may be made again. */
  replay: "safe" | "never";
  /**
   * Runs the call in the session. Rejects with what the model is to read where the call did not succeed: pi has no other word for that.
   */
  execute: (
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: PiResult) => void,
    context?: unknown,
  ) => Promise<PiResult>;
}

/**
 * The tools of a session, for the coding agent pi: `export default (pi) => toPi(session).forEach((tool) => pi.registerTool(tool))`.
 *
 * Every call goes through `session.call()`. pi itself refuses names that it does not have and arguments that do not fit: these calls
 * do not reach the session. The tools are those of this moment.
 *
 * @throws HaftError `BRIDGE_INVALID` for what is no session, and for options it does not have
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

/** Asks in the user interface of pi, where the session would ask. Only a clear yes is one; nothing where nobody can be asked. */
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
