import { isDeepStrictEqual } from "node:util";
import type { PluginToolRegistration } from "../contract/registration.ts";
import { coreError } from "../errors.ts";
import type { Entry, ToolBuildResult } from "./build-tools.ts";
import type { SessionInfoKey, SessionInfo } from "./factory-context.ts";

export type BuildToolsFunction = (
  entry: Entry,
  session?: { sessionInfo: SessionInfo; read: (fact: SessionInfoKey) => void },
) => Promise<ToolBuildResult>;

export class ToolCache {
  readonly #ofHost = new Map<PluginToolRegistration, Promise<ToolBuildResult>>();
  readonly #ofSessions = new Map<string, Map<PluginToolRegistration, SessionTools[]>>();

  forHost(entry: Entry, make: BuildToolsFunction): Promise<ToolBuildResult> {
    let made = this.#ofHost.get(entry.registration);
    if (!made) this.#ofHost.set(entry.registration, (made = make(entry)));
    return made;
  }

  /** Uses again what was made for an open session of this key, if all that the factory read is the same. */
  async forSession(
    entry: Entry,
    key: string,
    told: SessionInfo,
    make: BuildToolsFunction,
  ): Promise<ToolBuildResult> {
    let ofSession = this.#ofSessions.get(key);
    if (!ofSession) this.#ofSessions.set(key, (ofSession = new Map()));
    let made = ofSession.get(entry.registration);
    if (!made) ofSession.set(entry.registration, (made = []));
    for (const one of made) {
      const tools = await one.made;
      if (one.share(told)) return tools;
    }
    const making = new SessionTools(told, entry.names, (read) => make(entry, { sessionInfo: told, read }));
    made.push(making);
    return making.made;
  }

  release(key: string): void {
    if (this.#ofSessions.size > 0) this.#ofSessions.delete(key);
  }

  /** Forgets what these made: they may do better another time. */
  forget(entries: readonly Entry[]): void {
    for (const { registration } of entries) {
      this.#ofHost.delete(registration);
      for (const ofSession of this.#ofSessions.values()) ofSession.delete(registration);
    }
  }
}

/** What one factory made for a session, and for others of the same key that are like it in all that it read. */
class SessionTools {
  readonly #told: SessionInfo;
  readonly #names: readonly string[];
  readonly #read = new Set<SessionInfoKey>();
  readonly #others: SessionInfo[] = [];
  readonly made: Promise<ToolBuildResult>;

  constructor(
    told: SessionInfo,
    names: readonly string[],
    make: (read: (fact: SessionInfoKey) => void) => Promise<ToolBuildResult>,
  ) {
    this.#told = told;
    this.#names = names;
    this.made = make((fact) => this.#note(fact));
  }

  /** Whether they are right for this session, too. Asked when they are made. */
  share(other: SessionInfo): boolean {
    for (const fact of this.#read) if (!same(this.#told, other, fact)) return false;
    if (other !== this.#told) this.#others.push(other);
    return true;
  }

  /** A part that is read late, by a tool that kept the context, may be another in a session that has the tool by now. */
  #note(fact: SessionInfoKey): void {
    if (this.#read.has(fact)) return;
    if (this.#others.some((other) => !same(this.#told, other, fact)))
      throw coreError(
        "PLUGIN_INVALID",
        `The factory for ${this.#names.join(", ")} was done when its context was asked for ${fact}, which is not the same in all sessions that share its tools.`,
        { fix: `Read ${fact} in the factory, or take it from the context of the call.` },
      );
    this.#read.add(fact);
  }
}

function same(one: SessionInfo, other: SessionInfo, fact: SessionInfoKey): boolean {
  if (one === other || one[fact] === other[fact]) return true;
  // The others are texts, or things of which each session has its own.
  return fact === "model" && isDeepStrictEqual(one.model, other.model);
}
