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
 * Configures a test session. All options have defaults.
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
   * Sets the kind: `main` (default), `group` or `sandboxed`. The last two have the default rules of `@haft/policy`, and `sandboxed` a real
   * sandbox of `@haft/sandbox` unless `workspace` is set.
   */
  kind?: SessionKind;
  /**
   * Sets the place of its files. `memory` (default for main and group sessions): in memory, without processes. `host`: in a temporary
   * folder, with processes, by `@haft/workspace`. `sandbox`: the same in a sandbox of `@haft/sandbox`. The test must close its own
   * workspace.
   */
  workspace?: "memory" | "host" | "sandbox" | Workspace;
  /** Sets the sandbox. Default: the first that works here. */
  sandbox?: "bubblewrap" | "docker";
  /** Contains files at the start. A path with a final `/` is an empty folder. */
  files?: Files;
  /** Maps symbolic links at the start to targets. */
  links?: Readonly<Record<string, string>>;
  /**
   * Sets the rules, as in `haft.policy.json` (by `@haft/policy`), or a policy. Default: every tool of the plugin is allowed, as if the
   * operator had granted it in this kind of session.
   */
  policy?: Policy | Readonly<Record<string, unknown>>;
  /** Answers approval requests. Without it, a call that needs approval ends as pending. */
  approve?: ApprovalDecision | ((request: ApprovalRequest) => ApprovalDecision | ApprovalAnswer);
  /** Sets the sender of the messages. */
  sender?: Sender | "system";
  /** Names the message channel: `telegram`. */
  channel?: string;
  /** Names the group or room. */
  groupId?: string;
  /** Identifies the agent. Default `main`. */
  agentId?: string;
  /** Describes the model. */
  model?: Partial<ModelFacts>;
  /** Replaces the configuration of the plugin. */
  config?: unknown;
  /** Answers requests of `context.fetch`, by address. All others fail; none leaves the process. */
  network?: NetworkAnswers;
  /** Receives the log. */
  logger?: Logger;
  /** Configures the kernel, such as `deadlineMs`, `abortGraceMs` and `loopGuard`. */
  kernel?: Pick<
    SessionEnvironment,
    "deadlineMs" | "abortGraceMs" | "loopGuard" | "maxResultCharacters" | "hooks"
  >;
}
