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

/** What a test session is. Everything has a default. */
export interface TestSessionOptions {
  /**
   * What the session may do by default: `main` (default), `group` or `sandboxed`. The last two have the rules of
   * `@haft/policy`, and `sandboxed` a real sandbox of `@haft/sandbox`, unless `workspace` says otherwise.
   */
  kind?: SessionKind;
  /**
   * Where its files are. `memory` (default for main and group sessions): in memory, no processes. `host`: a temporary
   * folder of this machine, with processes, of `@haft/workspace`. `sandbox`: the same in a sandbox of `@haft/sandbox`. Or a
   * workspace of your own, which you close yourself.
   */
  workspace?: "memory" | "host" | "sandbox" | Workspace;
  /** Which sandbox. Default: the first that works here. */
  sandbox?: "bubblewrap" | "docker";
  /** What stands in its files when it begins. A path with a `/` at its end is an empty folder. */
  files?: Files;
  /** Symbolic links in them: paths to where they lead. */
  links?: Readonly<Record<string, string>>;
  /**
   * Rules for it, as in `haft.policy.json`: those of `@haft/policy`, or a policy of your own. Default: everything of
   * the plugin is allowed, as if its operator had granted it in this kind of session.
   */
  policy?: Policy | Readonly<Record<string, unknown>>;
  /** Answers approvals. Without it such a call is answered as pending. */
  approve?: ApprovalDecision | ((request: ApprovalRequest) => ApprovalDecision | ApprovalAnswer);
  /** Whose messages it answers. */
  sender?: Sender | "system";
  /** The message channel, such as `telegram`. */
  channel?: string;
  /** The group or room. */
  groupId?: string;
  /** The agent; `main` by default. */
  agentId?: string;
  /** What is known of the model. */
  model?: Partial<ModelFacts>;
  /** The operator's settings for the plugin, instead of its own. */
  config?: unknown;
  /** What requests of `context.fetch` are answered with, by address. All others fail; nothing leaves the process. */
  network?: NetworkAnswers;
  /** Hears what is logged. */
  logger?: Logger;
  /** Of the kernel, such as `deadlineMs`, `abortGraceMs` and `loopGuard`. */
  kernel?: Pick<
    SessionEnvironment,
    "deadlineMs" | "abortGraceMs" | "loopGuard" | "maxResultCharacters" | "hooks"
  >;
}
