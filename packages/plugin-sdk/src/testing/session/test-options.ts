import type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalRequest,
  Logger,
  ModelFacts,
  Policy,
  Sender,
  SessionKind,
  Workspace,
} from "@haft/core";
import type { SessionEnvironment } from "@haft/core/kernel";
import type { NetworkAnswers } from "../fakes/fake-network.ts";
import type { Files } from "../memory/memory-workspace.ts";

/**
 * Options for a test session. All have defaults.
 *
 * @example
 * ```ts
 * import type { TestSessionOptions } from "@haft/plugin-sdk/testing";
 *
 * const options: TestSessionOptions = {
 *   kind: "group",
 *   channel: "telegram",
 *   sender: { username: "alice" },
 *   files: { "data/a.csv": "x,y\n1,2\n", "out/": "" },
 *   kernel: { deadlineMs: 1000 },
 * };
 * ```
 */
export interface TestSessionOptions {
  /**
   * The kind of session: `main` (default), `group` or `sandboxed`. The last two have the default rules of `@haft/policy`,
   * and `sandboxed` a real sandbox of `@haft/sandbox` unless `workspace` is set.
   */
  kind?: SessionKind;
  /**
   * Where its files are. `memory` (default for main and group sessions): in memory, without processes. `host`: in a
   * temporary folder of this machine, with processes, by `@haft/workspace`. `sandbox`: the same in a sandbox of
   * `@haft/sandbox`. A workspace that the test passes is not closed.
   */
  workspace?: "memory" | "host" | "sandbox" | Workspace;
  /** The kind of sandbox. Default: the first that works here. */
  sandbox?: "bubblewrap" | "docker";
  /** The files at the start. A path with a final `/` is an empty folder. */
  files?: Files;
  /** Symbolic links at the start: targets by path. */
  links?: Readonly<Record<string, string>>;
  /**
   * The rules, as in `haft.policy.json` (by `@haft/policy`), or a policy. Default: every tool of the plugin is allowed, as
   * if the operator had granted it in this kind of session.
   */
  policy?: Policy | Readonly<Record<string, unknown>>;
  /** The answer to approval requests. Without it, a call that needs approval ends as pending. */
  approve?: ApprovalDecision | ((request: ApprovalRequest) => ApprovalDecision | ApprovalAnswer);
  /** The sender of the messages. */
  sender?: Sender | "system";
  /** The message channel, such as `telegram`. */
  channel?: string;
  /** The group or room. */
  groupId?: string;
  /** The id of the agent. Default `main`. */
  agentId?: string;
  /** What is known of the model. */
  model?: Partial<ModelFacts>;
  /** The configuration by the operator, instead of that of the plugin. */
  config?: unknown;
  /** Answers to requests of `context.fetch`, by address. All other requests fail; none leaves the process. */
  network?: NetworkAnswers;
  /** The log of the session. */
  logger?: Logger;
  /** Options of the kernel, such as `deadlineMs`, `abortGraceMs` and `loopGuard`. */
  kernel?: Pick<
    SessionEnvironment,
    "deadlineMs" | "abortGraceMs" | "loopGuard" | "maxResultCharacters" | "hooks"
  >;
}
