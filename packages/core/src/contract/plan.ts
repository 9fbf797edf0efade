import type { ContentBlock } from "./result.ts";

/** What a call may do to the world. A tool that declares none only computes. */
export type ToolEffect = "read" | "write" | "execute" | "network" | "message";

/** One program that a command line would start. */
export interface PlannedCommand {
  /** As written: `git`, `./run`, `/usr/bin/env`. Never a wrapper that was looked through. */
  name: string;
  /** Real path of what would be executed, links resolved. Absent for a builtin and for what was not found. */
  path?: string;
  /** The shell does it itself, without starting a program: `cd`, `test`, `true` … */
  builtin?: boolean;
  /** The words it gets, `argv[0]` as written. All of them literal, unless it is `open`. */
  argv: readonly string[];
  /** It gets words that are not known before it runs: the result of `$( )`, which stands in `argv` as written, or what `xargs` reads. */
  open?: boolean;
  /** Wrappers in front of it, outermost first: `["env", "nice"]`. */
  through: readonly string[];
  /** It only transforms what it reads from standard input, by these very arguments (see safe bins). */
  harmless?: boolean;
  /** Why not, where the program could be one with other arguments: a sentence without its full stop. */
  notHarmless?: string;
  /** It can run other programs or code (a shell, an interpreter, `ssh`), so trusting it is trusting anything. Says why. */
  carrier?: string;
}

/** A command line, taken apart. */
export interface CommandSubject {
  /** The text as it was called. */
  text: string;
  /** Absolute folder it would run in. */
  cwd: string;
  /** The shell it is for: `bash`. Absent where that is not known. */
  shell?: string;
  /** In order. Not all of them when `unclear` is set. */
  commands: readonly PlannedCommand[];
  /** Files that the shell opens for its commands: `> out.txt`. They are for the rules of the tools that `write` and `read`. */
  redirects?: readonly PathSubject[];
  /** Why it is not certain what this would run, as the rest of a sentence: `it uses $( )`. Absent when it is. */
  unclear?: string;
  /** Why something else than these commands may run, although they are certain: what they write is run. As the rest of a sentence. */
  hidden?: string;
  /** It is no new command, but typed into one that runs already. Then rules for `exec` hold for it as well. */
  input?: true;
  /** How freely the call itself wants commands to run: none, those on a list, all. From strict to free. */
  security?: "deny" | "allowlist" | "full";
  /** When the call itself wants somebody asked about a command. From free to strict. */
  ask?: "off" | "on-miss" | "always";
  /** The call asks to run outside of its limits. */
  elevated?: boolean;
  /** The call asks to run outside of the view that commands of this session are contained in; its reason, one line. */
  outside?: string;
  /** A port of that view which the call asks to have reached from this machine while the command runs. */
  forward?: number;
}

/** Something of the workspace a call would act on. */
export interface PathSubject {
  /** Absolute in the workspace's spelling, links resolved where they can be. */
  path: string;
  /** The same relative to the root it is in, with `/`. */
  relative: string;
  /** What it would do there. */
  access: "read" | "write";
  /** It would act on everything below, too. */
  recursive?: boolean;
  /** It is in no root, and `relative` climbs out of one: patterns without a `/` in front let nothing of it through. */
  outside?: true;
}

/** Why the workspace would refuse something: what its error will say. */
export interface Refusal {
  /** Of the error. */
  code: string;
  /** Its message. */
  reason: string;
  /** What to do next, one sentence. */
  fix?: string;
}

/** A place that is changed only when somebody agrees to it, whatever the rules say. */
export interface RequiredConsent {
  /** Absolute and real, as the workspace names it in `details.place` of `CONSENT_NEEDED`. */
  place: string;
  /** A sentence for whoever is asked. */
  reason: string;
}

/** What a call is about, for rules that look at more than the name of the tool. */
export interface CallSubjects {
  /** Of tools with several: `kill` of `process`. */
  action?: string;
  /** Files and folders it would act on. */
  paths?: readonly PathSubject[];
  /** The command line it would run. */
  command?: CommandSubject;
  /** Names or addresses it would connect to, in lower case. */
  hosts?: readonly string[];
  /**
   * The other machine it would act on: its id, the name its operator gave it, what it is to do there, and all that the call may do
   * by that, as it was approved; all a tool may do where that is not known.
   */
  node?: { id: string; name: string; command?: string; effects?: readonly ToolEffect[] };
}

/** Something that may be allowed for more than this one call. */
export interface GrantOffer {
  /** `exact`: this very call. `program`: this program here, whatever its arguments. */
  kind: "exact" | "program";
  /** Identifies what is allowed: the same for calls it covers, and for no others. */
  key: string;
  /** What a person agrees to, in one line. */
  summary: string;
}

/** What a call would do, worked out before anybody decides about it, and without doing any of it. */
export interface CallPlan {
  /** What rules with conditions look at. */
  subjects?: CallSubjects;
  /** All that a person needs to see to decide. The call's one-line summary otherwise. */
  preview?: readonly ContentBlock[];
  /** What makes two calls the same for an `exact` grant, instead of all arguments: a title must not make it another call. */
  identity?: string;
  /** Ties "this exact call" to more than its arguments: the programs and files it would use. */
  binding?: string;
  /** What `binding` is made of, by readable names (`program git`), for every host alike. Counts instead of `binding`. */
  facts?: Readonly<Record<string, string>>;
  /** Programs that can be trusted beyond this call; each must be covered. If empty, `noProgramGrant` says why. */
  programs?: readonly GrantOffer[];
  /** Why its programs cannot be trusted beyond this call, as the rest of a sentence. */
  noProgramGrant?: string;
  /** Why not even this exact call can be allowed for good. */
  noAlways?: string;
  /** The boundary of the workspace would not let it happen, whatever policy says. Nobody is asked about it then. */
  refused?: Refusal;
  /** Changes that need somebody's consent: the call is then asked about even if rules allow it. */
  consent?: readonly RequiredConsent[];
  /** For the tool itself: handed to `execute` as `context.plan`, so that what runs is what was shown. */
  data?: unknown;
}
