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

  /** Reuses an open session's tools, if all facts that the factory read are equal. */
  async forSession(
    entry: Entry,
    key: string,
    info: SessionInfo,
    make: BuildToolsFunction,
  ): Promise<ToolBuildResult> {
    let ofSession = this.#ofSessions.get(key);
    if (!ofSession) this.#ofSessions.set(key, (ofSession = new Map()));
    let made = ofSession.get(entry.registration);
    if (!made) ofSession.set(entry.registration, (made = []));
    for (const one of made) {
      const tools = await one.made;
      if (one.share(info)) return tools;
    }
    const making = new SessionTools(info, entry.names, (read) => make(entry, { sessionInfo: info, read }));
    made.push(making);
    return making.made;
  }

  release(key: string): void {
    if (this.#ofSessions.size > 0) this.#ofSessions.delete(key);
  }

  forget(entries: readonly Entry[]): void {
    for (const { registration } of entries) {
      this.#ofHost.delete(registration);
      for (const ofSession of this.#ofSessions.values()) ofSession.delete(registration);
    }
  }
}

class SessionTools {
  readonly #info: SessionInfo;
  readonly #names: readonly string[];
  readonly #read = new Set<SessionInfoKey>();
  readonly #others: SessionInfo[] = [];
  readonly made: Promise<ToolBuildResult>;

  constructor(
    info: SessionInfo,
    names: readonly string[],
    make: (read: (fact: SessionInfoKey) => void) => Promise<ToolBuildResult>,
  ) {
    this.#info = info;
    this.#names = names;
    this.made = make((fact) => this.#note(fact));
  }

  share(other: SessionInfo): boolean {
    for (const fact of this.#read) if (!same(this.#info, other, fact)) return false;
    if (other !== this.#info) this.#others.push(other);
    return true;
  }

  /** A tool may read its context late, when sessions already share it. */
  #note(fact: SessionInfoKey): void {
    if (this.#read.has(fact)) return;
    if (this.#others.some((other) => !same(this.#info, other, fact)))
      throw coreError(
        "PLUGIN_INVALID",
        `A tool of the factory for ${this.#names.join(", ")} read ${fact} from the factory's context after the factory had returned, and sessions with different values share the tool.`,
        { fix: `Read ${fact} in the factory, or take it from the context of the call.` },
      );
    this.#read.add(fact);
  }
}

function same(one: SessionInfo, other: SessionInfo, fact: SessionInfoKey): boolean {
  if (one === other || one[fact] === other[fact]) return true;
  return fact === "model" && isDeepStrictEqual(one.model, other.model);
}
