import type { McpServerSettings } from "@haft/config/internal/settings";
import { getErrorMessage } from "@haft/core";
import type { AcceptedServer } from "@haft/mcp";
import { withoutUndefined } from "@haft/utils";
import { hostError } from "../errors.ts";
import { type AcceptedTools, hashSettings, type StoredServers } from "./operators-file.ts";

export interface KnownServer {
  name: string;
  settings: McpServerSettings;
  source: string;
  /** Absent if the server was never accepted or its settings changed since. */
  accepted?: AcceptedTools;
  /** Explains why no tool is offered, as a sentence after the server's name. */
  blockedReason?: string;
}

export function listKnownServers({
  kept: stored,
  file,
  configured = {},
  configuration = file,
}: {
  kept: StoredServers;
  file: string;
  configured?: Readonly<Record<string, McpServerSettings>> | undefined;
  configuration?: string | undefined;
}): KnownServer[] {
  const names = [...new Set([...Object.keys(configured), ...Object.keys(stored)])];
  return names.flatMap((name): KnownServer[] => {
    const settings = configured[name] ?? stored[name]?.settings;
    if (settings === undefined) return [];
    const source = configured[name] === undefined ? file : configuration;
    const accepted = stored[name]?.accepted;
    if (accepted === undefined)
      return [{ name, settings, source, blockedReason: "was never added: nobody has looked at its tools" }];
    if (accepted.settings !== hashSettings(settings))
      return [{ name, settings, source, blockedReason: "is reached otherwise than when it was added" }];
    return [{ name, settings, source, accepted }];
  });
}

/** Returns the server with the values of its variables. @throws HaftError `MCP_UNAVAILABLE` */
export function toAcceptedServer({ name, settings, accepted }: KnownServer): AcceptedServer {
  const { command, args, env, cwd, url, headers, oauth, timeoutMs, outside } = settings;
  const filled = (text: string) => fill(text, name);
  const all = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, filled(value)]));
  const reach: AcceptedServer["reach"] =
    url === undefined
      ? {
          command: filled(command ?? ""),
          ...(args && { args: args.map(filled) }),
          env: { ...(outside === true ? {} : LED), ...(env && all(env)) },
          ...(cwd !== undefined && { cwd }),
        }
      : {
          url: filled(url),
          ...(headers && { headers: all(headers) }),
          ...(oauth && {
            oauth: withoutUndefined({
              clientId: filled(oauth.clientId),
              clientSecret: oauth.clientSecret && filled(oauth.clientSecret),
            }),
          }),
        };
  return {
    name,
    reach,
    tools: accepted?.tools ?? [],
    ...(accepted?.effects && { effects: accepted.effects }),
    ...(accepted?.era && { era: accepted.era }),
    ...(timeoutMs !== undefined && { timeoutMs, startTimeoutMs: timeoutMs }),
  };
}

export function explainBlocked(server: KnownServer): string | undefined {
  if (server.blockedReason !== undefined) return server.blockedReason;
  try {
    toAcceptedServer(server);
    return undefined;
  } catch (thrown) {
    return `is not offered: ${getErrorMessage(thrown)}`;
  }
}

/** Makes Node use the proxy of a view, which reports refused hosts. */
const LED = { NODE_USE_ENV_PROXY: "1" };

/** Matches `${NAME}`, or `${NAME:-default}`. */
export const VARIABLE = /\$\{(\w+)(?::-([^}]*))?\}/g;

function fill(text: string, server: string): string {
  return text.replaceAll(VARIABLE, (_whole, variable: string, otherwise?: string) => {
    const value = process.env[variable] ?? otherwise;
    if (value !== undefined) return value;
    throw hostError(
      "MCP_UNAVAILABLE",
      `The server ${server} needs the variable ${variable}, which Haft's own environment does not have.`,
      { fix: "Set it in the environment of Haft, or configure another value." },
    );
  });
}
