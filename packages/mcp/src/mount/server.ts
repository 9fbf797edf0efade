import type { ToolEffect } from "@haft/core";
import type { McpToolDefinition } from "./tool-definition.ts";

/** A server that is a program: it is started, and communicates on its standard input and output. */
export interface McpProgram {
  /** Name or path of the program. The lookup happens where the program runs. */
  command: string;
  /** Arguments of the program. */
  args?: readonly string[];
  /** Variables in addition to the common ones (`PATH`, `HOME` …). The program receives no other variables of the host. */
  env?: Readonly<Record<string, string>>;
  /** Working directory as a path of the workspace. Default: the main root. */
  cwd?: string;
}

/** A server that is reached at a URL. */
export interface McpAddress {
  /** URL of the server, with `https:` or `http:`. */
  url: string;
  /** Headers of each request. */
  headers?: Readonly<Record<string, string>>;
  /** The registration of this program at the authorization server, if that server does not register clients itself. */
  oauth?: McpClientId;
}

/** A client that is registered with an authorization server. */
export interface McpClientId {
  /** Id of the client. */
  clientId: string;
  /** Secret of the client, if it has one. */
  clientSecret?: string;
}

/** Revision of the protocol that a server implements: `legacy` with sessions (until 2025), `modern` without (from 2026). */
export type McpEra = "legacy" | "modern";

/**
 * A server, and how it is reached.
 *
 * @example
 * ```ts
 * import type { McpServer } from "@haft/mcp";
 * const server: McpServer = {
 *   name: "tracker",
 *   reach: { url: "https://tracker.example.com/mcp" },
 *   timeoutMs: 120_000,
 * };
 * ```
 */
export interface McpServer {
  /** Name of the server: `[a-z][a-z0-9-]*`, at most 24 characters. Names of its tools start with it. */
  name: string;
  /** The program, or the address. */
  reach: McpProgram | McpAddress;
  /** Revision that the server implemented when it was surveyed: no newer one is tried with a `legacy` server. */
  era?: McpEra;
  /** Milliseconds without progress after which a call fails. Default 60,000. */
  timeoutMs?: number;
  /** Milliseconds for the start and the negotiation of the protocol. Default 30,000. */
  startTimeoutMs?: number;
}

/**
 * A server whose tools an operator has reviewed and accepted.
 *
 * @example
 * ```ts
 * import { surveyMcp, type AcceptedServer, type McpServer, type ServerEnvironment } from "@haft/mcp";
 * declare const server: McpServer;
 * declare const place: ServerEnvironment;
 * const { tools } = await surveyMcp(server, { place });
 * const accepted: AcceptedServer = { ...server, tools, effects: { search: ["read", "network"] } };
 * ```
 */
export interface AcceptedServer extends McpServer {
  /** The accepted descriptions of the tools. These are offered; a call of a tool whose description has changed since is refused. */
  tools: readonly McpToolDefinition[];
  /**
   * Effects of calls, by the server's names of its tools. A tool without an entry has every effect, and its calls need
   * approval.
   */
  effects?: Readonly<Record<string, readonly ToolEffect[]>>;
}

/**
 * Differences between a server's descriptions and the accepted ones.
 *
 * @example
 * ```ts
 * import type { ServerChange } from "@haft/mcp";
 * const isHarmless = ({ changed, gone }: ServerChange) => changed.length === 0 && gone.length === 0;
 * ```
 */
export interface ServerChange {
  /** Name of the server. */
  server: string;
  /** Accepted tools whose description has changed, as the server describes them now. */
  changed: readonly McpToolDefinition[];
  /** Accepted tools that the server no longer offers, by name. */
  gone: readonly string[];
  /** Tools that are not accepted. */
  added: readonly McpToolDefinition[];
}

export function isServerAddress(reach: McpProgram | McpAddress): reach is McpAddress {
  return "url" in reach;
}
