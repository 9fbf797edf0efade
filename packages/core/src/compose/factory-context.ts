import type { Logger } from "../contract/ports.ts";
import type { PluginToolContext } from "../contract/registration.ts";
import { coreError } from "../errors.ts";

export type SessionInfo = Omit<PluginToolContext, "config" | "state">;

export type SessionInfoKey = Exclude<keyof SessionInfo, "logger">;

interface Own {
  config: unknown;
  state: unknown;
  logger: Logger;
  expiry: AbortSignal;
}

/** A context for one factory. @param read told of each part of the session before the factory gets it */
export function sessionContext(
  told: SessionInfo,
  { config, state, logger, expiry }: Own,
  read: (fact: SessionInfoKey) => void,
): PluginToolContext {
  const of = <Key extends SessionInfoKey>(fact: Key): SessionInfo[Key] => {
    read(fact);
    return told[fact];
  };
  let joined: AbortSignal | undefined;
  // Members of its own, so that a copy has them, too.
  return {
    config,
    state,
    logger,
    get workspaceDir() {
      return of("workspaceDir");
    },
    get agentDir() {
      return of("agentDir");
    },
    get agentId() {
      return of("agentId");
    },
    get sessionKey() {
      return of("sessionKey");
    },
    get messageChannel() {
      return of("messageChannel");
    },
    get sessionKind() {
      return of("sessionKind");
    },
    get groupId() {
      return of("groupId");
    },
    get model() {
      return of("model");
    },
    get sandboxed() {
      return of("sandboxed");
    },
    get workspace() {
      return of("workspace");
    },
    // Joined when it is looked at, which few factories do: joining is most of what one costs.
    get signal() {
      return (joined ??= AbortSignal.any([of("signal"), expiry]));
    },
  };
}

/** What is made for the whole host must not hold on to the session that happened to be first. */
export function hostContext(
  config: unknown,
  logger: Logger,
  signal: AbortSignal,
  state?: unknown,
): PluginToolContext {
  const none = (what: string): never => {
    throw coreError("PLUGIN_INVALID", `A factory of scope host belongs to no session and has no ${what}.`, {
      fix: 'Use the workspace of the context of each call, or declare scope: "session".',
    });
  };
  return {
    config,
    state,
    workspaceDir: "",
    agentDir: "",
    agentId: "",
    sessionKey: "",
    messageChannel: "",
    sandboxed: false,
    logger,
    signal,
    get sessionKind() {
      return none("kind");
    },
    get model() {
      return none("model");
    },
    get workspace() {
      return none("workspace");
    },
  };
}
