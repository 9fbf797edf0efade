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
import { checkOptions, invalidOptions, optionsSchema, requireMethods } from "../parameters/check-options.ts";
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
  /** Decides about tools and calls. */
  policy: Policy;
  /** Decides about calls that need approval. */
  approver?: Approver;
  /**
   * Controls calls that need approval. `wait` (the default with an approver): waits for the approver, `resolveApproval` or the store.
   * `pending` (the default without an approver): returns at once, and runs after a decision. `deny`: blocks the call.
   */
  approvalMode?: "wait" | "pending" | "deny";
  /** Stores grants and requests. Default: a memory store for each session; with `createHost`, a file in the state folder. */
  approvals?: ApprovalStore;
  /** Runs these hooks around calls, in order. */
  hooks?: readonly ToolHook[];
  /** Records calls, to resume sessions. Default: none. */
  store?: LedgerStore;
  /**
   * Limits the recorded part of each call, with known secrets masked. `plan` (default): the decision, and size, hash, and start and end
   * of the result. `full`: also the result. `none`: only the outcome. Waiting calls are complete.
   */
  record?: RecordMode;
  /** Controls calls with changes while the store fails: `refuse` (default) or `record-later` (at most 10,000 records). Reads continue. */
  onStoreFault?: StoreFaultMode;
  /** Limits repeated calls; `false` removes the limits. Default {@link DEFAULT_LOOP_LIMITS}. */
  loopGuard?: Partial<LoopLimits> | false;
  /** Limits a result for the model, in characters. Default: derived from the model's context window. */
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
  /** Connects its tools (`context.fetch`), such as `createHostNetwork` of `@haft/workspace`. Default: none. */
  network?: Network;
  /** Identifies the conversation, also in the store. Default: a generated key. */
  sessionKey?: string;
  /** Resumes a run of this session and agent: the latest (`true`) or by id. Default: a new run. */
  resume?: true | string;
  /** Waits for the holder of the run to close or lose it, instead of `SESSION_HELD`. */
  takeOver?: boolean;
  /** Ends the wait of `takeOver`. */
  signal?: AbortSignal;
  /** Contains the opening command line. */
  openedWith?: readonly string[];
  /** Identifies the agent. Default `main`. */
  agentId?: string;
  /** Locates the folder of the agent. Default: that of the workspace. */
  agentDir?: string;
  /** Names the channel, such as `telegram`. */
  messageChannel?: string;
  /** Identifies the group or room, as the host derived it. */
  groupId?: string;
  /** Identifies the sender of all messages, if constant. */
  sender?: Sender | "system";
  /** Describes the opening session, whose rules also apply here. */
  parent?: SessionFacts;
  /** Describes the sandbox, if the workspace is one. */
  sandbox?: SandboxFacts;
  /** Describes the model. Default: a context window of 128,000 tokens, and images. */
  model?: Partial<ModelFacts>;
  /** Releases resources, once, after the last call. */
  dispose?: () => Promise<void>;
}

const KIND: OptionSchema = {
  enum: ["main", "group", "sandboxed"] satisfies SessionKind[],
  description: "Selects the default rights: main, group or sandboxed.",
};

export const MODEL: OptionSchema = {
  ...optionsSchema<ModelFacts>({
    name: { type: "string", description: "As provider/model." },
    contextTokens: {
      type: "number",
      minimum: 0,
      description: "Size of its context, in tokens; 0 if unknown.",
    },
    images: { type: "boolean", description: "Tells whether it reads images." },
  }),
  description: "Describes the model: name, context in tokens, images.",
};

export const SESSION_OPTIONS: OptionSchemas<SessionOptions> = {
  kind: KIND,
  workspace: { description: "Contains files and processes for its tools." },
  network: { description: "Connects its tools (context.fetch). Default: no network." },
  sessionKey: {
    type: "string",
    minLength: 1,
    description: "Identifies the conversation, also in the store. Default: a generated key.",
  },
  resume: {
    anyOf: [{ const: true }, { type: "string", minLength: 1 }],
    description: "Resumes a run of this session: the latest (true), or by id.",
  },
  takeOver: {
    type: "boolean",
    description: "With resume: waits until the holder of the run has closed or lost it.",
  },
  signal: { "haft:kind": "signal", description: "With takeOver: ends the wait." },
  openedWith: {
    type: "array",
    items: { type: "string" },
    description: "Contains the command line that opened it, stored with the run.",
  },
  agentId: {
    type: "string",
    minLength: 1,
    description: "Identifies the agent of the conversation. Default main.",
  },
  agentDir: {
    type: "string",
    minLength: 1,
    description: "Locates the folder of the agent. Default: that of the workspace.",
  },
  messageChannel: { type: "string", description: "Names the channel, such as telegram." },
  groupId: {
    type: "string",
    minLength: 1,
    description: "Identifies the group or room, as the host derived it.",
  },
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
    description: "Contains the facts (session.facts) of the session that opens this session.",
  },
  sandbox: { description: "Describes the limits of the sandbox." },
  model: MODEL,
  dispose: { description: "Releases resources of this session, after the last call." },
};

const CALLS: OptionSchema = { type: "number", minimum: 1 };
const WARN_AND_BLOCK = /* @__PURE__ */ optionsSchema<LoopLimits["repeat"]>({ warn: CALLS, block: CALLS }, [
  "warn",
  "block",
]);

const LOOP_GUARD: OptionSchema = {
  anyOf: [
    { const: false },
    /* @__PURE__ */ optionsSchema<LoopLimits>({
      repeat: WARN_AND_BLOCK,
      poll: WARN_AND_BLOCK,
      cycle: WARN_AND_BLOCK,
      breaker: CALLS,
    }),
  ],
  description: "Limits repeated calls; false disables the loop guard.",
};

export const SESSION_ENVIRONMENT: OptionSchemas<SessionEnvironment> = {
  registry: { description: "Contains the tools." },
  policy: { description: "Decides who may call which tool." },
  approver: { description: "Decides about calls that need approval." },
  approvalMode: {
    enum: ["wait", "pending", "deny"],
    description: "Controls calls that need approval: they wait, return pending, or are refused.",
  },
  approvals: {
    description: "Stores grants and requests. Default: a memory store for each session.",
  },
  hooks: { type: "array", description: "Runs these hooks around every call, in this order." },
  store: { description: "Records calls, so that sessions can be resumed. Default: none." },
  record: {
    enum: ["plan", "full", "none"] satisfies RecordMode[],
    description: "Limits the recorded part of each call: plan (default), full or none.",
  },
  onStoreFault: {
    enum: ["refuse", "record-later"] satisfies StoreFaultMode[],
    description: "Controls calls with changes while the store fails: refuse (default) or record-later.",
  },
  loopGuard: LOOP_GUARD,
  maxResultCharacters: {
    type: "number",
    minimum: 1,
    description: "Limits one result for the model, in characters. Default: derived from its context.",
  },
  deadlineMs: { "haft:kind": "milliseconds", description: "Limits a call. Default 0: no limit." },
  abortGraceMs: {
    "haft:kind": "milliseconds",
    description: "Limits the time to stop after an abort. Default 2,000.",
  },
  approvalTimeoutMs: {
    "haft:kind": "milliseconds",
    exclusiveMinimum: 0,
    description: "Limits the time for a decision. Default 30 minutes.",
  },
  rewind: { description: "Restores files of its sessions from a journal of changes." },
  spoolDir: {
    type: "string",
    minLength: 1,
    description: "Contains cut parts of results. Default: a private temporary folder.",
  },
  logger: { description: "Logs for the kernel. Default: none." },
};

const ENVIRONMENT = optionsSchema<SessionEnvironment>(SESSION_ENVIRONMENT);
const SESSION = optionsSchema<SessionOptions>(SESSION_OPTIONS, ["kind"]);
const LOGS = ["debug", "info", "warn", "error"] satisfies (keyof Logger)[];
const STORE_OF_APPROVALS = [
  "grants",
  "allGrants",
  "addGrant",
  "useGrant",
  "revoke",
  "addRequest",
  "removeRequest",
  "requests",
  "answer",
  "waitForAnswer",
] satisfies (keyof ApprovalStore)[];

/** @throws HaftError `INVALID_OPTIONS` */
export function checkEnvironment(environment: SessionEnvironment): void {
  checkOptions("SessionFactory", environment, ENVIRONMENT);
  checkPorts(environment);
}

/** Checks the objects of the caller. @throws HaftError `INVALID_OPTIONS` */
export function checkPorts({
  approver,
  approvals,
  hooks = [],
  logger,
}: Pick<SessionEnvironment, "approver" | "approvals" | "hooks" | "logger">): void {
  if (approver !== undefined) requireMethods("approver", approver, ["ask"] satisfies (keyof Approver)[]);
  if (approvals !== undefined) requireMethods("approvals", approvals, STORE_OF_APPROVALS);
  if (logger !== undefined) requireMethods("logger", logger, LOGS);
  // A misspelled hook would block nothing.
  for (const [index, hook] of hooks.entries()) checkHook(`hooks: ${index}`, hook);
}

/** A misspelled parent would not restrict anything. @throws HaftError `INVALID_OPTIONS` */
export function checkSession(options: SessionOptions): void {
  checkOptions("openSession", options, SESSION);
}

const PARTS: OptionSchemas<ToolHook> = {
  name: { type: "string", description: "Names the hook in messages." },
  deadlineMs: { "haft:kind": "milliseconds", description: "Limits each of its functions." },
  beforeToolCall: {
    "haft:kind": "function",
    description: "Replaces the arguments, requires approval, or blocks.",
  },
  transformResult: { "haft:kind": "function", description: "Replaces the result for the model." },
  afterToolCall: { "haft:kind": "function", description: "Receives the outcome." },
};
const HOOK = optionsSchema<ToolHook>(PARTS, ["name"]);
const NAMES = Object.keys(PARTS) as (keyof ToolHook)[];
const FUNCTIONS = ["beforeToolCall", "transformResult", "afterToolCall"] as const;

function checkHook(where: string, hook: ToolHook): void {
  const isInstance = isObject(hook) && !isPlainObject(hook);
  const parts = isInstance ? Object.fromEntries(NAMES.map((name) => [name, hook[name]])) : hook;
  checkOptions(where, parts, HOOK);
  if (FUNCTIONS.some((name) => hook[name] !== undefined)) return;
  throw invalidOptions(`${where} has none of ${FUNCTIONS.join(", ")}, so it does nothing.`);
}
