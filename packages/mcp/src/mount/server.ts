import type { ToolEffect } from "@haft/core";
import type { McpToolDefinition } from "./tool-definition.ts";

/** Describes a server program that communicates on its standard streams. */
export interface McpProgram {
  /** Contains the name or path of the program. The lookup happens where the program runs. */
  command: string;
  /** Contains the arguments of the program. */
  args?: readonly string[];
  /** Adds variables to the common ones (`PATH`, `HOME` …). The program receives no other variables of the host. */
  env?: Readonly<Record<string, string>>;
  /** Sets the working directory as a path of the workspace. Default: the main root. */
  cwd?: string;
}

/** Describes a server that is reached at a URL. */
export interface McpAddress {
  /** Contains the URL, with `https:` or `http:`. */
  url: string;
  /** Adds headers to each request. */
  headers?: Readonly<Record<string, string>>;
  /** Contains this program's registration at an authorization server that does not register clients. */
  oauth?: McpClientId;
}

/** Describes a client that is registered with an authorization server. */
export interface McpClientId {
  /** Contains the id of the client. */
  clientId: string;
  /** Contains the secret of the client, if it has one. */
  clientSecret?: string;
}

/** Names the protocol revision of a server: `legacy` with sessions (until 2025), `modern` without (from 2026). */
export type McpEra = "legacy" | "modern";

/**
 * Describes a server and its address or program.
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
  /** Names the server: `[a-z][a-z0-9-]*`, at most 24 characters. Names of its tools start with it. */
  name: string;
  /** Contains the program or the address. */
  reach: McpProgram | McpAddress;
  /** Contains the surveyed revision: a `legacy` server is not probed for a newer one. */
  era?: McpEra;
  /** Fails a call after this many milliseconds without progress. Default 60,000. */
  timeoutMs?: number;
  /** Limits the start and the negotiation of the protocol, in milliseconds. Default 30,000. */
  startTimeoutMs?: number;
}

/**
 * Describes a server whose tools an operator has reviewed and accepted.
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
  /** Contains the accepted descriptions, the only offered tools. A tool whose description changed since is refused. */
  tools: readonly McpToolDefinition[];
  /**
   * Contains the effects of calls, by the server's names of its tools. Without an entry, a tool has every
   * effect and needs approval.
   */
  effects?: Readonly<Record<string, readonly ToolEffect[]>>;
}

/**
 * Contains the differences between a server's descriptions and the accepted descriptions.
 *
 * @example
 * ```ts
 * import type { ServerChange } from "@haft/mcp";
 * const isHarmless = ({ changed, gone }: ServerChange) => changed.length === 0 && gone.length === 0;
 * ```
 */
export interface ServerChange {
  /** Names the server. */
  server: string;
  /** Contains the current descriptions of accepted tools that have changed. */
  changed: readonly McpToolDefinition[];
  /** Names accepted tools that the server no longer offers. */
  gone: readonly string[];
  /** Contains tools that are not accepted. */
  added: readonly McpToolDefinition[];
}

export function isServerAddress(reach: McpProgram | McpAddress): reach is McpAddress {
  return "url" in reach;
}
