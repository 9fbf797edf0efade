import { HaftError } from "../contract/errors.ts";
import type { Sender } from "../contract/policy-port.ts";
import type { ToolUpdate } from "../contract/tool.ts";
import { checkOptions, type OptionSchema, optionsSchema } from "../parameters/check-options.ts";

/** A call as a model asks for it. */
export interface CallRequest {
  /** The provider's id of the call. Default: a generated one. */
  id?: string;
  /** The name of the tool, as the model spells it. */
  name: string;
  /** The arguments, or their JSON text as the model wrote it. */
  arguments?: unknown;
}

/**
 * Options for a call, beside what the model asks for.
 *
 * @example
 * ```ts
 * import type { Session } from "@haft/core/kernel";
 *
 * export function readLog(session: Session, userId: string) {
 *   return session.call(
 *     { name: "read", arguments: { path: "app.log" } },
 *     { sender: { id: userId }, deadlineMs: 5_000, onUpdate: ({ content }) => console.log(content.length) },
 *   );
 * }
 * ```
 */
export interface CallOptions {
  /** Aborts the call. */
  signal?: AbortSignal;
  /** Receives what the tool has so far. The tool does not wait for it. */
  onUpdate?: ToolUpdate;
  /** Milliseconds until the call is aborted; 0 means no limit. Default: that of the tool, then that of the session. */
  deadlineMs?: number;
  /** The id of the call whose tool makes this call. */
  parentCallId?: string;
  /** The sender of the message that this call answers, if it is not that of the session. */
  sender?: Sender | "system";
}

/** Rules for a sender that is not understood would not hold. */
export const SENDER: OptionSchema = {
  description: "Whose message is answered, or system for what no person asked for.",
  anyOf: [
    { const: "system" },
    /* @__PURE__ */ optionsSchema<Sender>({
      id: { type: "string" },
      phone: { type: "string" },
      username: { type: "string" },
      name: { type: "string" },
    }),
  ],
};

const CALL = /* @__PURE__ */ optionsSchema<CallOptions>({
  signal: { "haft:kind": "signal", description: "Aborts the call: that of an AbortController." },
  onUpdate: { "haft:kind": "function", description: "Hears what the tool reports while it runs." },
  deadlineMs: {
    "haft:kind": "milliseconds",
    description: "Overrides the tool's own deadline and the session's. 0 = none.",
  },
  parentCallId: { type: "string", description: "The call of another tool that makes this one." },
  sender: SENDER,
});

/** An option that stands in a request, where nobody would read it. */
export function findOptionInRequest(request: object): string | undefined {
  return Object.keys(CALL["properties"] as object).find((name) => name in request);
}

/** Options for a question about a call. */
export type ExplainOptions = Pick<CallOptions, "sender">;

const OF_SENDER = /* @__PURE__ */ optionsSchema<{ sender: Sender | "system" }>({ sender: SENDER }, [
  "sender",
]);

/** Checks a sender for a bridge. @param where whose option it is @throws HaftError `INVALID_OPTIONS` */
export function checkSender(where: string, sender: unknown): void {
  checkOptions(where, { sender }, OF_SENDER);
}

const EXPLAIN = /* @__PURE__ */ optionsSchema<ExplainOptions>({ sender: SENDER });

/** @throws HaftError `INVALID_OPTIONS` */
export function checkExplainOptions(options: ExplainOptions): void {
  checkOptions("explain", options, EXPLAIN);
}

/** A sender as one text: the same for equal senders, whatever the order of their members. */
export function formatSender(sender: Sender | "system" | undefined): string {
  // One that is none is refused where the options of the call are checked.
  if (typeof sender !== "object" || sender === null) return JSON.stringify(sender ?? null);
  const { id, phone, username, name } = sender;
  return JSON.stringify([id, phone, username, name]);
}

/** What is wrong with the options of a call. */
export function findOptionsError(options: CallOptions): HaftError | undefined {
  try {
    checkOptions("call", options, CALL);
    return undefined;
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
}
