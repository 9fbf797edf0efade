import { isObject } from "@haft/utils";
import type { Registry } from "../compose/registry.ts";
import type { ApprovalStore, Approver } from "../contract/approval-port.ts";
import type { ToolHook } from "../contract/hooks.ts";
import type { LedgerStore, RecordMode } from "../contract/ledger-port.ts";
import type { Policy, SandboxFacts, Sender, SessionFacts, SessionKind } from "../contract/policy-port.ts";
import type { Logger, Workspace } from "../contract/ports.ts";
import type { ModelFacts } from "../contract/tool.ts";
import { SENDER } from "../kernel/call-options.ts";
import type { Network } from "../kernel/fetch/network-port.ts";
import type { LoopLimits } from "../kernel/loop-guard.ts";
import type { StoreFaultMode } from "../kernel/recording/recorder.ts";
import type { OptionSchema, OptionSchemas } from "../parameters/check-options.ts";
import { checkOptions, invalidOptions, optionsSchema } from "../parameters/check-options.ts";
import { isPlainObject } from "../parameters/schema/json-schema.ts";
import type { Rewind } from "./rewind-report.ts";

/**
 * Configures all sessions of a host.
 *
 * @example
 * ```ts
 * import { createMemoryApprovals, createMemoryStore, Registry, type SessionEnvironment } from "@haft/core/kernel";
 * import { createPolicy } from "@haft/policy";
 *
 * const registry = new Registry({ plugins: [] });
 * const environment: SessionEnvironment = {
 *   registry,
 *   policy: createPolicy({}, { tools: registry.catalogue() }),
 *   approvals: createMemoryApprovals(),
 *   approvalTimeoutMs: 5 * 60_000,
 *   store: createMemoryStore(),
 *   record: "full",
 * };
 * ```
 */
export interface SessionEnvironment {
  /** Contains the tools. */
  registry: Registry;
  /** Decides who may call which tool. */
  policy: Policy;
  /** Decides about calls that need approval. The calls wait for it. */
  approver?: Approver;
  /**
   * Controls calls that need approval. `wait` (the default with an approver): waits for the approver, `resolveApproval` or the store.
   * `pending` (the default without an approver): returns `pending` at once, and runs after a decision. `deny`: blocks the call.
   */
  approvalMode?: "wait" | "pending" | "deny";
  /** Stores grants and requests. Default: a memory store for each session. */
  approvals?: ApprovalStore;
  /** Runs these hooks around every call, in this order. */
  hooks?: readonly ToolHook[];
  /** Records calls, so that sessions can be resumed. Default: none; sessions end with their process. */
  store?: LedgerStore;
  /**
   * Limits the recorded part of each call; known secrets are masked. `plan` (default): the decision, and size, hash and the first 2,000
   * characters of the result. `full`: also the result. `none`: only the outcome. A call that waits for a decision is recorded completely.
   */
  record?: RecordMode;
  /**
   * Controls calls with changes while the store fails: `refuse` (default) or `record-later`. Reads continue; at most 10,000 records wait.
   */
  onStoreFault?: StoreFaultMode;
  /** Limits repeated calls; `false` disables the loop guard. Default {@link DEFAULT_LOOP_LIMITS}. */
  loopGuard?: Partial<LoopLimits> | false;
  /** Limits one result for the model, in characters. Default: derived from the model's context window. */
  maxResultCharacters?: number;
  /** Milliseconds that a call may run. Default 0: only the limit of the tool. */
  deadlineMs?: number;
  /** Milliseconds a tool has to stop after an abort. Default 2,000. */
  abortGraceMs?: number;
  /** Milliseconds a decision may take. Default 30 minutes. */
  approvalTimeoutMs?: number;
  /** Restores files for `session.rewind`. Default: none. */
  rewind?: Rewind;
  /** Contains cut parts of results. Default: a private temporary folder. */
  spoolDir?: string;
  /** Logs for the kernel. Default: none. */
  logger?: Logger;
}

/**
 * Configures one session.
 *
 * @example
 * ```ts
 * import type { SessionFactory } from "@haft/core/kernel";
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 *
 * // Continues the latest run of a group's conversation.
 * export function openGroup(sessions: SessionFactory, groupId: string) {
 *   const workspace = createMemoryWorkspace();
 *   return sessions.open({ kind: "group", groupId, sessionKey: `telegram:${groupId}`, resume: true, workspace });
 * }
 * ```
 */
export interface SessionOptions {
  /** Selects the default rights. */
  kind: SessionKind;
  /** Contains files and processes for its tools. */
  workspace: Workspace;
  /** Connects its tools (`context.fetch`), for example `createHostNetwork` of `@haft/workspace`. Default: none. */
  network?: Network;
  /** Identifies the conversation, also in the store. Default: a generated key. */
  sessionKey?: string;
  /** Resumes a run of this session and agent: the latest (`true`) or by id. Default: a new run. */
  resume?: true | string;
  /** With `resume`, waits until the holder of the run has closed or lost it, instead of `SESSION_HELD`. */
  takeOver?: boolean;
  /** Ends the wait of `takeOver`. */
  signal?: AbortSignal;
  /** Contains the command line that opened the session. It is stored for a message about how to resume. */
  openedWith?: readonly string[];
  /** Identifies the agent of the conversation. Default `main`. */
  agentId?: string;
  /** Locates the folder of the agent. Default: that of the workspace. */
  agentDir?: string;
  /** Names the channel, such as `telegram`. */
  messageChannel?: string;
  /** Identifies the group or room, as the host derived it. */
  groupId?: string;
  /** Identifies the sender of all messages, if it is one person. Otherwise, each call has this option. */
  sender?: Sender | "system";
  /** Describes the session that opens this session. Its rules apply here as well. */
  parent?: SessionFacts;
  /** Describes the sandbox, if the workspace is one. */
  sandbox?: SandboxFacts;
  /** Describes the model. Default: a context window of 128,000 tokens, and images. */
  model?: Partial<ModelFacts>;
  /** Releases resources of this session, such as processes. Called once, after the last call. */
  dispose?: () => Promise<void>;
}

const KIND: OptionSchema = {
  enum: ["main", "group", "sandboxed"] satisfies SessionKind[],
  description: "What the session may do by default: main, group or sandboxed.",
};

export const MODEL: OptionSchema = {
  ...optionsSchema<ModelFacts>({
    name: { type: "string", description: "As provider/model." },
    contextTokens: {
      type: "number",
      minimum: 0,
      description: "Tokens of its context; 0 where nobody knows.",
    },
    images: { type: "boolean", description: "Whether it sees images." },
  }),
  description: "What is known of the model: its name, its context in tokens, whether it sees images.",
};

/** Options that a host passes to {@link SessionFactory.open} unchanged. */
export const SESSION_OPTIONS: OptionSchemas<SessionOptions> = {
  kind: KIND,
  workspace: { description: "Where its tools act." },
  network: { description: "The network of its tools (context.fetch). Default: they have none." },
  sessionKey: {
    type: "string",
    description: "Identity of the conversation; names its runs in the store. Made up when missing.",
  },
  resume: {
    anyOf: [{ const: true }, { type: "string", minLength: 1 }],
    description: "Continues a run of this session: the latest (true), or that of this id.",
  },
  takeOver: {
    type: "boolean",
    description: "With resume: waits for whoever has the run to lose or close it.",
  },
  signal: { "haft:kind": "signal", description: "With takeOver: ends that waiting." },
  openedWith: {
    type: "array",
    items: { type: "string" },
    description: "Words of the command line that opened it, kept with the run.",
  },
  agentId: { type: "string", description: "The agent that has the conversation. Default main." },
  agentDir: { type: "string", description: "The folder of the agent. Default: that of the workspace." },
  messageChannel: { type: "string", description: "The channel of the conversation, such as telegram." },
  groupId: { type: "string", description: "The group or room of the conversation, as the host derived it." },
  sender: SENDER,
  parent: {
    ...optionsSchema<SessionFacts>(
      {
        kind: KIND,
        agentId: { type: "string" },
        model: { type: "string" },
        messageChannel: { type: "string" },
        groupId: { type: "string" },
        sender: {},
        parent: {},
        sandbox: {},
        containment: {},
        guarded: {},
      },
      ["kind"],
    ),
    description: "The facts (session.facts) of the session that opens this one for a part of its work.",
  },
  sandbox: { description: "What the sandbox of the workspace keeps from its commands." },
  model: MODEL,
  dispose: { description: "Ends what belongs to this session alone, when no call runs any more." },
};

/** Options that a host passes to {@link SessionFactory} unchanged. */
export const SESSION_ENVIRONMENT: OptionSchemas<SessionEnvironment> = {
  registry: { description: "The tools there are." },
  policy: { description: "Who may call what." },
  approver: { description: "Asked about calls that need approval." },
  approvalMode: {
    enum: ["wait", "pending", "deny"],
    description:
      "What becomes of a call that needs approval: it waits, is answered as pending, or is refused.",
  },
  approvals: {
    description: "Where grants and requests are kept. Default: in memory, for each session its own.",
  },
  hooks: { type: "array", description: "What is done around every call, in this order." },
  store: { description: "Where calls are recorded, so that sessions can be resumed. Default: nowhere." },
  record: {
    enum: ["plan", "full", "none"] satisfies RecordMode[],
    description: "How much of calls is recorded: plan (default), full or none.",
  },
  onStoreFault: {
    enum: ["refuse", "record-later"] satisfies StoreFaultMode[],
    description:
      "What becomes of calls that change things while the store is away: refuse (default) or record-later.",
  },
  loopGuard: { description: "Limits of repetition; false switches the loop guard off." },
  maxResultCharacters: {
    description: "Characters of one result that reach the model; derived from its context by default.",
  },
  deadlineMs: { "haft:kind": "milliseconds", description: "What a call may run. Default 0: none." },
  abortGraceMs: {
    "haft:kind": "milliseconds",
    description: "What a tool has to stop after an abort. Default 2,000.",
  },
  approvalTimeoutMs: {
    "haft:kind": "milliseconds",
    description: "What there is for a decision. Default 30 minutes.",
  },
  rewind: { description: "Puts files of its sessions back, by a journal of their changes." },
  spoolDir: {
    type: "string",
    description: "Where the cut parts of results go. Default: a private folder among the temporary files.",
  },
  logger: { description: "Where the kernel logs. Default: nowhere." },
};

const ENVIRONMENT = optionsSchema<SessionEnvironment>(SESSION_ENVIRONMENT);
const SESSION = optionsSchema<SessionOptions>(SESSION_OPTIONS, ["kind"]);
const APPROVER = optionsSchema<Approver>(
  { ask: { "haft:kind": "function", description: "Decides about one call." } },
  ["ask"],
);

/** @throws HaftError `INVALID_OPTIONS` */
export function checkEnvironment(environment: SessionEnvironment): void {
  checkOptions("SessionFactory", environment, ENVIRONMENT);
  const { approver } = environment;
  // Most approvers are class instances, so members are read by name.
  const given: { ask?: unknown } | null | undefined = approver;
  if (given !== undefined) checkOptions("approver", { ask: given?.ask }, APPROVER);
  // A misspelled hook would block nothing.
  for (const [index, hook] of (environment.hooks ?? []).entries()) checkHook(`hooks: ${index}`, hook);
}

/** A misspelled parent would not restrict anything. @throws HaftError `INVALID_OPTIONS` */
export function checkSession(options: SessionOptions): void {
  checkOptions("openSession", options, SESSION);
}

const PARTS: OptionSchemas<ToolHook> = {
  name: { type: "string", description: "For what is logged and told of it." },
  deadlineMs: { "haft:kind": "milliseconds", description: "What one of its functions may take." },
  beforeToolCall: {
    "haft:kind": "function",
    description: "Rewrites the arguments, asks a person, or blocks.",
  },
  transformResult: { "haft:kind": "function", description: "Changes what the model sees." },
  afterToolCall: { "haft:kind": "function", description: "Hears how the call ended." },
};
const HOOK = optionsSchema<ToolHook>(PARTS, ["name"]);
const NAMES = Object.keys(PARTS) as (keyof ToolHook)[];
const FUNCTIONS = ["beforeToolCall", "transformResult", "afterToolCall"] as const;

function checkHook(where: string, hook: ToolHook): void {
  // Class instances may have further members.
  const isInstance = isObject(hook) && !isPlainObject(hook);
  const parts = isInstance ? Object.fromEntries(NAMES.map((name) => [name, hook[name]])) : hook;
  checkOptions(where, parts, HOOK);
  if (FUNCTIONS.some((name) => hook[name] !== undefined)) return;
  throw invalidOptions(`${where} has none of ${FUNCTIONS.join(", ")}, so it does nothing.`);
}
