import { HaftError } from "../contract/errors.ts";
import type { Sender } from "../contract/policy-port.ts";
import type { ToolUpdate } from "../contract/tool.ts";
import {
  checkOptions,
  invalidOptions,
  type OptionSchema,
  optionsSchema,
} from "../parameters/check-options.ts";
import { describeValue } from "../parameters/schema/issues.ts";

/** Describes a call of a model. */
export interface CallRequest {
  /** Identifies the call for the provider. Default: a generated id. */
  id?: string;
  /** Names the tool, as the model spells it. */
  name: string;
  /** Contains the arguments, or their JSON text. */
  arguments?: unknown;
}

/**
 * Controls a call beyond the request of the model.
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
  /** Receives partial results, without delaying the tool. */
  onUpdate?: ToolUpdate;
  /** Milliseconds until the call is aborted; 0 means no limit. Default: that of the tool, then that of the session. */
  deadlineMs?: number;
  /** Identifies the parent call. */
  parentCallId?: string;
  /** Identifies the sender, if it differs from the session's. */
  sender?: Sender | "system";
}

export const SENDER: OptionSchema = {
  description: "Identifies the sender of the message, or system for a turn of the host.",
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
  signal: { "haft:kind": "signal", description: "Aborts the call; from an AbortController." },
  onUpdate: { "haft:kind": "function", description: "Receives partial results of the tool." },
  deadlineMs: {
    "haft:kind": "milliseconds",
    description: "Overrides the deadline of tool and session. 0 = none.",
  },
  parentCallId: { type: "string", description: "Identifies the parent call." },
  sender: SENDER,
});

export function findOptionInRequest(request: object): string | undefined {
  return Object.keys(CALL["properties"] as object).find((name) => name in request);
}

/** Controls an explanation. */
export type ExplainOptions = Pick<CallOptions, "sender">;

const OF_SENDER = /* @__PURE__ */ optionsSchema<{ sender: Sender | "system" }>({ sender: SENDER }, [
  "sender",
]);

/** @param where Option to name in the error. @throws HaftError `INVALID_OPTIONS` */
export function checkSender(where: string, sender: unknown): void {
  checkOptions(where, { sender }, OF_SENDER);
}

const EXPLAIN = /* @__PURE__ */ optionsSchema<ExplainOptions>({ sender: SENDER });

/** @throws HaftError `INVALID_OPTIONS` */
export function checkExplainOptions(toolName: unknown, options: ExplainOptions): void {
  if (typeof toolName !== "string")
    throw invalidOptions(
      `explain takes the name of a tool, received ${describeValue(toolName)}.`,
      'Pass the name and the arguments one after the other: explain("read", { path: "a.txt" }).',
    );
  checkOptions("explain", options, EXPLAIN);
}

export function formatSender(sender: Sender | "system" | undefined): string {
  if (typeof sender !== "object" || sender === null) return JSON.stringify(sender ?? null);
  const { id, phone, username, name } = sender;
  return JSON.stringify([id, phone, username, name]);
}

export function findOptionsError(options: CallOptions): HaftError | undefined {
  try {
    checkOptions("call", options, CALL);
    return undefined;
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
}
