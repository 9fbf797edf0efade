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
 * What all sessions of a host share.
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
  /** The tools. */
  registry: Registry;
  /** Decides who may call which tool. */
  policy: Policy;
  /** Decides about calls that need approval. The calls wait for it. */
  approver?: Approver;
  /**
   * What happens to a call that needs approval. `wait` (the default with an approver): it waits for the approver,
   * `resolveApproval` or the store. `pending` (the default without one): its outcome is `pending` at once, and it runs
   * after a decision. `deny`: it is refused, since nobody can decide.
   */
  approvalMode?: "wait" | "pending" | "deny";
  /** The store for grants and requests. Default: one in memory for each session. */
  approvals?: ApprovalStore;
  /** Functions around every call, in this order. */
  hooks?: readonly ToolHook[];
  /** The store that records calls, so that sessions can be resumed. Default: none; sessions end with their process. */
  store?: LedgerStore;
  /**
   * How much of each call is recorded, with known secrets covered. `plan` (default): the decision, and size, hash and the
   * first 2,000 characters of the result. `full`: also the result. `none`: only how it ended. A call that waits for a
   * decision is recorded completely.
   */
  record?: RecordMode;
  /**
   * What happens to calls that change something while the store fails: `refuse` (default) or `record-later`. Reading goes
   * on; at most 10,000 calls wait.
   */
  onStoreFault?: StoreFaultMode;
  /** Limits for repeated calls; `false` switches the loop guard off. Default {@link DEFAULT_LOOP_LIMITS}. */
  loopGuard?: Partial<LoopLimits> | false;
  /** Characters of one result that the model gets. Default: derived from the model's context window. */
  maxResultCharacters?: number;
  /** Milliseconds a call may run. Default 0: no limit beside that of the tool. */
  deadlineMs?: number;
  /** Milliseconds a tool has to stop after an abort. Default 2,000. */
  abortGraceMs?: number;
  /** Milliseconds a decision may take. Default 30 minutes. */
  approvalTimeoutMs?: number;
  /** Restores files for `session.rewind`. Default: none. */
  rewind?: Rewind;
  /** The folder for the cut parts of results. Default: a private temporary folder. */
  spoolDir?: string;
  /** The log of the kernel. Default: none. */
  logger?: Logger;
}

/**
 * Options for one session.
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
  /** The kind of session, which decides what it may do by default. */
  kind: SessionKind;
  /** The workspace in which its tools act. */
  workspace: Workspace;
  /** The network of its tools (`context.fetch`), such as `createHostNetwork` of `@haft/workspace`. Default: none. */
  network?: Network;
  /** The identity of the conversation; the store has its runs under this name. Default: a generated one. */
  sessionKey?: string;
  /** Continues a run of this session and agent: the latest (`true`) or the one with this id. Default: a new run. */
  resume?: true | string;
  /** With `resume`, whether to wait until the holder of the run has closed or lost it, instead of `SESSION_HELD`. */
  takeOver?: boolean;
  /** Ends the waiting of `takeOver`. */
  signal?: AbortSignal;
  /** The command line that opened the session. It is stored with the run, for a message that says how to continue it. */
  openedWith?: readonly string[];
  /** The id of the agent that holds the conversation. Default `main`. */
  agentId?: string;
  /** The folder of the agent. Default: that of the workspace. */
  agentDir?: string;
  /** The channel of the conversation, such as `telegram`. */
  messageChannel?: string;
  /** The group or room of the conversation, as the host derived it. */
  groupId?: string;
  /** The sender of all messages that the session answers, if it is one person. Otherwise it is an option of each call. */
  sender?: Sender | "system";
  /** The facts of the session that opens this one for a part of its work. The rules for it apply here as well. */
  parent?: SessionFacts;
  /** The limits of the sandbox, if the workspace is one. */
  sandbox?: SandboxFacts;
  /** What is known of the model. Default: a context window of 128,000 tokens, and images. */
  model?: Partial<ModelFacts>;
  /** Ends what belongs to this session only, such as its processes. Called once, after the last call has ended. */
  dispose?: () => Promise<void>;
}

const KIND: OptionSchema = {
  enum: ["main", "group", "sandboxed"] satisfies SessionKind[],
  description: "What the session may do by default: main, group or sandboxed.",
};

/** What {@link ModelFacts} may be, for whoever is told of a model. */
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

/** What a host hands through to {@link SessionFactory.open} as it is. */
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

/** What a host hands through to {@link SessionFactory} as it is. */
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
  // Read, not walked: most approvers are of a class.
  const given: { ask?: unknown } | null | undefined = approver;
  if (given !== undefined) checkOptions("approver", { ask: given?.ask }, APPROVER);
  // A hook that is misspelt would hold nothing back.
  for (const [index, hook] of (environment.hooks ?? []).entries()) checkHook(`hooks: ${index}`, hook);
}

/** @throws HaftError `INVALID_OPTIONS`: a misspelled parent, for example, would hold nothing back */
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
  // What is of a class has what else it needs.
  const isInstance = isObject(hook) && !isPlainObject(hook);
  const parts = isInstance ? Object.fromEntries(NAMES.map((name) => [name, hook[name]])) : hook;
  checkOptions(where, parts, HOOK);
  if (FUNCTIONS.some((name) => hook[name] !== undefined)) return;
  throw invalidOptions(`${where} has none of ${FUNCTIONS.join(", ")}, so it does nothing.`);
}
