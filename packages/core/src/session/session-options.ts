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
import { isObject } from "../utils/values.ts";
import type { Rewind } from "./rewind-report.ts";

/** What every session of a host has in common. */
export interface SessionEnvironment {
  /** The tools there are. */
  registry: Registry;
  /** Who may call what. */
  policy: Policy;
  /** Asked about calls that need approval; they wait for its decision. */
  approver?: Approver;
  /**
   * What becomes of a call that needs approval. `wait`: until somebody decides, the approver or
   * `resolveApproval` or the store (the default with an approver). `pending`: it is answered as pending at
   * once, and goes on when it is decided (the default without). `deny`: nobody is there, so it is refused.
   */
  approvalMode?: "wait" | "pending" | "deny";
  /** Where grants and requests are kept. Default: in memory, for each session its own. */
  approvals?: ApprovalStore;
  /** What is done around every call, in this order. */
  hooks?: readonly ToolHook[];
  /** Where calls are recorded, so that sessions can be resumed. Default: nowhere; then they end with their process. */
  store?: LedgerStore;
  /**
   * How much of calls is recorded, known secrets covered. `plan` (default): what was decided about, and of results size, hash
   * and the first 2,000 characters. `full`: results as well. `none`: how they ended. What waits for a decision is kept whole
   * until it is decided.
   */
  record?: RecordMode;
  /** Changes while the store is away: `refuse` (default) or `record-later`. Reading goes on; at most 10,000 calls wait. */
  onStoreFault?: StoreFaultMode;
  /** `false` switches the loop guard off. */
  loopGuard?: Partial<LoopLimits> | false;
  /** Characters of one result that reach the model; derived from the model's context by default. */
  maxResultCharacters?: number;
  /** Milliseconds a call may run. Default 0: none, tools bound themselves. */
  deadlineMs?: number;
  /** Milliseconds a tool has to stop after an abort. Default 2,000. */
  abortGraceMs?: number;
  /** Milliseconds there are for a decision. Default 30 minutes. */
  approvalTimeoutMs?: number;
  /** Puts files of its sessions back (`session.rewind`). Default: nothing does. */
  rewind?: Rewind;
  /** Where the cut parts of results go. Default: a private folder among the temporary files. */
  spoolDir?: string;
  /** Where the kernel logs. Default: nowhere. */
  logger?: Logger;
}

/** What one session is. */
export interface SessionOptions {
  /** What it may do by default. */
  kind: SessionKind;
  /** Where its tools act. */
  workspace: Workspace;
  /** The network of its tools (`context.fetch`), `createHostNetwork` of `@haft/workspace` for one. Default: they have none. */
  network?: Network;
  /** Identity of the conversation; names its runs in the store. Made up when missing. */
  sessionKey?: string;
  /** Continues a run of this session and agent: the latest (`true`) or that of this id. Without it, a new run begins. */
  resume?: true | string;
  /** With `resume`: waits until whoever has the run has lost or closed it, instead of `SESSION_HELD`. */
  takeOver?: boolean;
  /** With `takeOver`: ends that waiting. */
  signal?: AbortSignal;
  /** Kept with the run: words of the command line that opened it, for whoever says how it is continued. */
  openedWith?: readonly string[];
  /** The agent that has the conversation. Default `main`. */
  agentId?: string;
  /** The folder of the agent. Default: that of the workspace. */
  agentDir?: string;
  /** The channel of the conversation, such as `telegram`. */
  messageChannel?: string;
  /** The group or room of the conversation, as the host derived it. */
  groupId?: string;
  /** Whose messages the session answers, where that is one person; otherwise tell it with each call. */
  sender?: Sender | "system";
  /** Facts of the session that opens this one for a part of its work: its rules hold here too. */
  parent?: SessionFacts;
  /** What the sandbox of the workspace keeps from its commands. */
  sandbox?: SandboxFacts;
  /** What is known of the model; 128,000 tokens and images by default. */
  model?: Partial<ModelFacts>;
  /** Ends what belongs to this session alone, such as its processes. Called once, when no call runs any more. */
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
