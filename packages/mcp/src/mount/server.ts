import type { ToolEffect } from "@haft/core";
import type { McpToolDefinition } from "./tool-definition.ts";

/** A server that is a program: it is started, and speaks on its standard input and output. */
export interface McpProgram {
  /** A name or a path; looked up where the program runs. */
  command: string;
  /** Its arguments. */
  args?: readonly string[];
  /** All variables it gets beside the common ones (`PATH`, `HOME` …): nothing else of the host's environment. */
  env?: Readonly<Record<string, string>>;
  /** Where it starts, as a path of the workspace. Default: the main root. */
  cwd?: string;
}

/** A server that is reached at an address. */
export interface McpAddress {
  /** `https:` or `http:`. */
  url: string;
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
  /** What its authorization server knows this program by, where it registers none by itself. */
  oauth?: McpClientId;
}

/** A program that somebody registered with an authorization server. */
export interface McpClientId {
  /** Its name there. */
  clientId: string;
  /** Where it was given one. */
  clientSecret?: string;
}

/** Which protocol a server speaks: that with sessions (until 2025), or that without (from 2026 on). */
export type McpEra = "legacy" | "modern";

/** A server, and how it is reached. */
export interface McpServer {
  /** `[a-z][a-z0-9-]*`, at most 24 characters: begins the names of its tools. */
  name: string;
  /** How it is reached. */
  reach: McpProgram | McpAddress;
  /** Which protocol it spoke when it was looked at: an older server is not asked for the newer one then. */
  era?: McpEra;
  /** Milliseconds until a call without news is given up. Default 60,000. */
  timeoutMs?: number;
  /** Milliseconds that starting and agreeing on a protocol may take. Default 30,000. */
  startTimeoutMs?: number;
}

/** A server whose tools somebody has looked at. */
export interface AcceptedServer extends McpServer {
  /** The tools as they were looked at: these are offered, and a call of one that is described otherwise by then is refused. */
  tools: readonly McpToolDefinition[];
  /** What calls may do, by the server's own names of its tools. A tool nobody says anything of may do everything, and is asked about. */
  effects?: Readonly<Record<string, readonly ToolEffect[]>>;
}

/** What a server describes otherwise than its operator accepted. */
export interface ServerChange {
  /** The server. */
  server: string;
  /** Its own names of accepted tools that are described otherwise now, with what it says of them. */
  changed: readonly McpToolDefinition[];
  /** Accepted tools that it does not offer any more. */
  gone: readonly string[];
  /** Tools that nobody has accepted. */
  added: readonly McpToolDefinition[];
}

export function isServerAddress(reach: McpProgram | McpAddress): reach is McpAddress {
  return "url" in reach;
}
