import type { ContentBlock } from "./result.ts";

/** An effect a call may have. A tool without effects only computes. */
export type ToolEffect = "read" | "write" | "execute" | "network" | "message";

/** One program that a command line would start. */
export interface PlannedCommand {
  /** The name as written: `git`, `./run`, `/usr/bin/env`. Never a wrapper whose command was found. */
  name: string;
  /** The real path of the program, with links resolved. Absent for a builtin, and if the program was not found. */
  path?: string;
  /** Whether the shell does it itself, without starting a program: `cd`, `test`, `true` … */
  builtin?: boolean;
  /** The words of the command, `argv[0]` as written. All are literal, unless it is `open`. */
  argv: readonly string[];
  /**
   * Whether some words are unknown before it runs: the result of `$( )`, which `argv` has as written, or what `xargs`
   * reads.
   */
  open?: boolean;
  /** The wrappers before the command, outermost first: `["env", "nice"]`. */
  through: readonly string[];
  /** Whether it only transforms standard input, with exactly these arguments (see safe bins). */
  harmless?: boolean;
  /** Why it is not harmless, if it could be with other arguments: a sentence without its full stop. */
  notHarmless?: string;
  /**
   * Why it can run other programs or code (a shell, an interpreter, `ssh`), so that trust in it covers everything. Absent
   * if it cannot.
   */
  carrier?: string;
}

/** A parsed command line. */
export interface CommandSubject {
  /** The command line as it was called. */
  text: string;
  /** The absolute folder it would run in. */
  cwd: string;
  /** The shell it is for: `bash`. Absent if that is unknown. */
  shell?: string;
  /** Its commands, in order. If `unclear` is set, some may be missing. */
  commands: readonly PlannedCommand[];
  /** Files that the shell opens for its commands: `> out.txt`. Rules for the tools that `write` and `read` apply to them. */
  redirects?: readonly PathSubject[];
  /** Why it is uncertain what this would run, as the end of a sentence: `it uses $( )`. Absent if it is certain. */
  unclear?: string;
  /** Why other code may run although the commands are certain: they write what then runs. The end of a sentence. */
  hidden?: string;
  /** Set if the text is input for a running command. Rules for `exec` apply to it as well. */
  input?: true;
  /** The strictness the call asks for: no commands, those on a list, or all. */
  security?: "deny" | "allowlist" | "full";
  /** When the call asks for approval of its command, from free to strict. */
  ask?: "off" | "on-miss" | "always";
  /** Whether the call asks to run beyond its limits. */
  elevated?: boolean;
  /** Why the call asks to run outside of the contained view of its session, in one line. Absent if it does not. */
  outside?: string;
  /** A port of that view which the call asks to forward to this machine while the command runs. */
  forward?: number;
}

/** A path of the workspace that a call would use. */
export interface PathSubject {
  /** The absolute path as the workspace spells it, with links resolved as far as possible. */
  path: string;
  /** The path relative to its root, with `/`. */
  relative: string;
  /** What the call would do there. */
  access: "read" | "write";
  /** Whether it would affect everything below as well. */
  recursive?: boolean;
  /** Set if it is in no root, so that `relative` climbs out of one. Patterns without a leading `/` allow nothing of it. */
  outside?: true;
}

/** Why the workspace would refuse something, as its error would say. */
export interface Refusal {
  /** The code of the error. */
  code: string;
  /** The message of the error. */
  reason: string;
  /** What to do next, as one sentence. */
  fix?: string;
}

/** A path that changes only if somebody agrees, whatever the rules allow. */
export interface RequiredConsent {
  /** The absolute real path, as in `details.place` of `CONSENT_NEEDED`. */
  place: string;
  /** Why consent is needed, as a sentence for the person who is asked. */
  reason: string;
}

/**
 * What a call is about, for rules with conditions.
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
  /** The action of a tool with several: `kill` of `process`. */
  action?: string;
  /** Files and folders it would use. */
  paths?: readonly PathSubject[];
  /** The command line it would run. */
  command?: CommandSubject;
  /** Host names or addresses it would connect to, in lower case. */
  hosts?: readonly string[];
  /**
   * The node it would use: its id, the name its operator gave it, the command there, and all effects the call may have
   * through it, as approved. Without `effects`, they are all those of the tool.
   */
  node?: { id: string; name: string; command?: string; effects?: readonly ToolEffect[] };
}

/** Something that may be allowed for more than this call. */
export interface GrantOffer {
  /** `exact`: this very call. `program`: this program in this folder, with any arguments. */
  kind: "exact" | "program";
  /** The key of what is allowed: equal for all calls it covers, and for no others. */
  key: string;
  /** What a person agrees to, in one line. */
  summary: string;
}

/**
 * What a call would do, worked out before a decision and without doing any of it.
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
  /** What rules with conditions check. */
  subjects?: CallSubjects;
  /** Everything a person needs for a decision. Default: the one-line summary of the call. */
  preview?: readonly ContentBlock[];
  /** What makes two calls equal for an `exact` grant, instead of all arguments: a title, for example, does not count. */
  identity?: string;
  /** Ties an `exact` grant to more than the arguments: the programs and files the call would use. */
  binding?: string;
  /** The parts of `binding`, by readable names (`program git`), equal on every host. If present, they replace `binding`. */
  facts?: Readonly<Record<string, string>>;
  /** Programs that can be allowed beyond this call; a grant has to cover each. If empty, `noProgramGrant` says why. */
  programs?: readonly GrantOffer[];
  /** Why its programs cannot be allowed beyond this call, as the end of a sentence. */
  noProgramGrant?: string;
  /** Why even this exact call cannot be allowed for good, as the end of a sentence. */
  noAlways?: string;
  /** Why the boundary of the workspace would refuse the call, whatever policy decides. Nobody is asked then. */
  refused?: Refusal;
  /** Changes that need consent. The call is asked about even if rules allow it. */
  consent?: readonly RequiredConsent[];
  /** Data for the tool itself: `execute` gets it as `context.plan`, so that it runs what was shown. */
  data?: unknown;
}
