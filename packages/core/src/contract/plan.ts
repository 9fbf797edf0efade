import type { ContentBlock } from "./result.ts";

/** Classifies an effect of a call. */
export type ToolEffect = "read" | "write" | "execute" | "network" | "message";

/** Describes a program of a command line. */
export interface PlannedCommand {
  /** Names it as written: `git`, `./run`, but no wrapper with a found command. */
  name: string;
  /** Locates the program, with links resolved. Absent for builtin and missing programs. */
  path?: string;
  /** Tells whether it is a builtin of the shell: `cd`, `test` … */
  builtin?: boolean;
  /** Contains the words, literal unless `open`, with `argv[0]` as written. */
  argv: readonly string[];
  /** Tells whether some words are unknown, as results of `$( )` or input of `xargs`. */
  open?: boolean;
  /** Lists the wrappers, outermost first: `["env", "nice"]`. */
  through: readonly string[];
  /** Tells whether it only transforms standard input with these arguments (see safe bins). */
  harmless?: boolean;
  /** Explains why these arguments are not harmless, without a full stop. */
  notHarmless?: string;
  /** Tells whether it is a shell, and the commands of its text follow as entries of their own: `sh -c "npm test"`. */
  nested?: boolean;
  /** Explains why it can run any code (shell, interpreter, `ssh`). Absent if it cannot. */
  carrier?: string;
}

/** Describes a parsed command line. */
export interface CommandSubject {
  /** Contains the command line as called. */
  text: string;
  /** Locates the working folder, as an absolute path. */
  cwd: string;
  /** Names the shell: `bash`. Absent if unknown. */
  shell?: string;
  /** Lists its commands, in order; some may be missing if `unclear` is set. */
  commands: readonly PlannedCommand[];
  /** Lists files that the shell opens: `> out.txt`. Rules for tools that `write` and `read` apply. */
  redirects?: readonly PathSubject[];
  /** Ends a sentence: why the programs are uncertain, such as `it uses $( )`. */
  unclear?: string;
  /** Ends a sentence: why commands may run code that they write first. */
  hidden?: string;
  /** Is set for input of a running command, under rules for `exec`. */
  input?: true;
  /** Requests a strictness: no, listed or all commands. */
  security?: "deny" | "allowlist" | "full";
  /** States when the command needs approval, from free to strict. */
  ask?: "off" | "on-miss" | "always";
  /** Tells whether the call requests more than its limits. */
  elevated?: boolean;
  /** Explains in one line the request to run outside of the view. */
  outside?: string;
  /** Requests a port of the view, forwarded here while the command runs. */
  forward?: number;
}

/** Describes a path that a call would use. */
export interface PathSubject {
  /** Contains the workspace's absolute path, with links resolved as far as possible. */
  path: string;
  /** Contains the path relative to its root, with `/`. */
  relative: string;
  /** States the effect of the call there. */
  access: "read" | "write";
  /** Tells whether everything below is also affected. */
  recursive?: boolean;
  /** Is set outside of all roots. Only patterns with a leading `/` allow it. */
  outside?: true;
}

/** Describes an error that the workspace would raise. */
export interface Refusal {
  /** Contains its code. */
  code: string;
  /** Contains its message. */
  reason: string;
  /** Suggests the next step, as one sentence. */
  fix?: string;
}

/** Describes a path that changes only after consent. */
export interface RequiredConsent {
  /** Contains the real path, as `details.place` of `CONSENT_NEEDED`. */
  place: string;
  /** Explains the need for consent, as a sentence. */
  reason: string;
}

/**
 * Describes the subjects of a call, for rules with conditions.
 *
 * @example
 * ```ts
 * import type { CallSubjects } from "@haft/core";
 *
 * const subjects: CallSubjects = {
 *   action: "upload",
 *   hosts: ["files.example.com"],
 *   paths: [{ path: "/workspace/report.pdf", relative: "report.pdf", access: "read" }],
 * };
 * ```
 */
export interface CallSubjects {
  /** Names the action, such as `kill` of `process`. */
  action?: string;
  /** Lists the files and folders. */
  paths?: readonly PathSubject[];
  /** Describes the command line. */
  command?: CommandSubject;
  /** Lists host names or addresses in lower case. */
  hosts?: readonly string[];
  /** Describes the node: id, operator's name, command there, and approved effects (default: those of the tool). */
  node?: { id: string; name: string; command?: string; effects?: readonly ToolEffect[] };
}

/** Offers to allow more than this call. */
export interface GrantOffer {
  /** Limits the offer: this exact call, or this program in this folder with any arguments. */
  kind: "exact" | "program";
  /** Identifies the offer: equal exactly for the calls it covers. */
  key: string;
  /** Describes the offer in one line. */
  summary: string;
}

/**
 * Describes a call before a decision.
 *
 * @example
 * ```ts
 * import { type CallPlan, text } from "@haft/core";
 *
 * export function planDownload(url: string, path: string): CallPlan {
 *   return {
 *     subjects: {
 *       hosts: [new URL(url).hostname],
 *       paths: [{ path: `/workspace/${path}`, relative: path, access: "write" }],
 *     },
 *     preview: [text(`Download ${url} to ${path}`)],
 *   };
 * }
 * ```
 */
export interface CallPlan {
  /** Contains the subjects for rules with conditions. */
  subjects?: CallSubjects;
  /** Shows the call to the approver. Default: its one-line summary. */
  preview?: readonly ContentBlock[];
  /** Identifies `exact` grants in place of the arguments. */
  identity?: string;
  /** Binds an `exact` grant also to programs and files of the call. */
  binding?: string;
  /** Replaces `binding` by parts with readable names (`program git`), equal on every host. */
  facts?: Readonly<Record<string, string>>;
  /** Lists programs for permanent grants, which have to cover all. If empty, see `noProgramGrant`. */
  programs?: readonly GrantOffer[];
  /** Ends a sentence: why `programs` is empty. */
  noProgramGrant?: string;
  /** Ends a sentence: why even `allow-always` for this call is impossible. */
  noAlways?: string;
  /** Describes the refusal of the boundary, which overrides policy and approval. */
  refused?: Refusal;
  /** Lists changes that need consent, and therefore approval. */
  consent?: readonly RequiredConsent[];
  /** Passes data to `execute`, as `context.plan`. */
  data?: unknown;
}
