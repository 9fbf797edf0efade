import type { SessionKind, ToolEffect } from "@haft/core";
import type { CellWord } from "./policy.ts";

/**
 * `GET /api/abilities?kind=main&agent=ID`, or `?run=RUN` for the rules of an open or past session as they are now: what the agent
 * can do, as facts for a page in words.
 */
export interface Abilities {
  /** Who. */
  session: {
    kind: SessionKind;
    agentId: string;
    sessionKey?: string;
    runId?: string;
    model?: string;
    channel?: string;
  };
  /** The folders of its files, main one first. */
  folders: readonly { name: string; path: string; access: "ro" | "rw" }[];
  /** Reading files. */
  read: Ability;
  /** Changing files. */
  write: Ability;
  /** Running commands. */
  commands: Ability & {
    /** How: in a view that holds them, in the sandbox, or as this user. */
    where: "view" | "open" | "sandbox" | "nowhere";
    /** Where they can write, when they are held. */
    writes?: readonly string[];
    /** What they reach. */
    network?: "none" | "full" | readonly string[];
    /** Leaving the view: never, or by a question. */
    leaving?: "never" | "asks";
  };
  /** Reaching the network by tools other than commands. */
  network: Ability;
  /** Writing to people. */
  messages: Ability;
  /** Acting on other machines. */
  nodes: Ability & { names: readonly string[] };
  /** What is kept from it, whatever rules say: patterns of files. */
  closed: readonly string[];
  /** What needs a person's yes, whatever rules say. */
  consent: readonly string[];
  /** Calls that wait are decided by whom, and after how many milliseconds they are given up. */
  approvals: { mode: string; timeoutMs: number; grants: number };
  /** All tools it has, and what policy says to each. */
  tools: readonly {
    name: string;
    pluginId: string;
    effects: readonly ToolEffect[];
    word: CellWord;
    toSome?: CellWord;
  }[];
  /** Tools it could have, and does not. */
  missing: number;
  /** What is written down of what it does. */
  record: { mode: string; undo: boolean; audit: boolean };
}

/** Whether it can do something. */
export interface Ability {
  /** The mildest answer among the tools that do it; `deny` where there is none. */
  word: CellWord;
  /** Some calls get this stricter answer. */
  toSome?: CellWord;
  /** The tools that do it. */
  tools: readonly string[];
  /** Which rule says so, in a sentence. */
  reason: string;
}
