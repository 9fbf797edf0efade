import type { Logger } from "../contract/ports.ts";
import type { PluginToolContext } from "../contract/registration.ts";
import { coreError } from "../errors.ts";

export type SessionInfo = Omit<PluginToolContext, "config" | "state">;

export type SessionInfoKey = Exclude<keyof SessionInfo, "logger">;

interface ContextParts {
  config: unknown;
  state: unknown;
  logger: Logger;
  expiry: AbortSignal;
}

export function sessionContext(
  info: SessionInfo,
  { config, state, logger, expiry }: ContextParts,
  read: (fact: SessionInfoKey) => void,
): PluginToolContext {
  const of = <Key extends SessionInfoKey>(fact: Key): SessionInfo[Key] => {
    read(fact);
    return info[fact];
  };
  let joined: AbortSignal | undefined;
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
    // Combined on demand, since few factories use it.
    get signal() {
      return (joined ??= AbortSignal.any([of("signal"), expiry]));
    },
  };
}

/** Host-wide tools must not keep the first session in memory. */
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
