import { invalidOptions } from "@haft/core";
import { checkOptions, type OptionSchema, optionsSchema } from "@haft/core/internal";
import { isHostPattern } from "@haft/utils";

/**
 * Configures an MCP server: a program or a URL. `${NAME}` in its values is a variable of Haft.
 *
 * @example
 * ```ts
 * import type { McpServerSettings } from "@haft/config";
 * const local: McpServerSettings = { command: "docs-mcp", network: ["docs.example.com"] };
 * const remote: McpServerSettings = { url: "https://mcp.example.com", headers: { Authorization: "Bearer ${DOCS_TOKEN}" } };
 * ```
 */
export interface McpServerSettings {
  /** Names a program that speaks MCP on standard input and output. */
  command?: string;
  /** Sets arguments of the program. Default: none. */
  args?: readonly string[];
  /** Adds to the common variables of the program. It gets no others. */
  env?: Readonly<Record<string, string>>;
  /** Names the folder of the program, as a path of the workspace. */
  cwd?: string;
  /** Sets the URL of the server, instead of a program. */
  url?: string;
  /** Sets headers of each request. */
  headers?: Readonly<Record<string, string>>;
  /** Registers this program, if the authorization server does not. */
  oauth?: McpOauthSettings;
  /** Sets what the program reaches: `none`, `full`, or hosts such as `api.example.com` and `*.example.com`. Default `none`. */
  network?: "none" | "full" | readonly string[];
  /** Runs the program with all permissions of the user, without a view. Default false. */
  outside?: boolean;
  /** Limits its start, and a call without progress, in milliseconds. Default 30,000 for the start and 60,000 for a call. */
  timeoutMs?: number;
}

/**
 * Describes the registration of this program at an authorization server.
 *
 * @example
 * ```ts
 * import type { McpOauthSettings } from "@haft/config";
 * const oauth: McpOauthSettings = { clientId: "agent-host", clientSecret: "${DOCS_CLIENT_SECRET}" };
 * ```
 */
export interface McpOauthSettings {
  /** Identifies this program there. */
  clientId: string;
  /** Sets the secret, if any. Write `${NAME}` instead of the secret itself. */
  clientSecret?: string;
}

/**
 * Configures MCP servers. An operator must accept their tools with `haft mcp add`.
 *
 * @example
 * ```ts
 * import type { McpSettings } from "@haft/config";
 * const mcp: McpSettings = { servers: { docs: { url: "https://mcp.example.com" } } };
 * ```
 */
export interface McpSettings {
  /** Maps names to servers. Names of tools start with the name of the server. */
  servers?: Readonly<Record<string, McpServerSettings>>;
}

/** `haft mcp` stores servers and their accepted tools in this file. */
export const OPERATORS_FILE = "haft.mcp.json";

/**
 * Configures the MCP servers of a host, and the file with their acceptance.
 *
 * @example
 * ```ts
 * import type { HostMcpSettings } from "@haft/config";
 * const mcp: HostMcpSettings = {
 *   servers: { docs: { command: "docs-mcp", network: ["docs.example.com"] } },
 *   file: "/etc/agent/haft.mcp.json",
 * };
 * ```
 */
export interface HostMcpSettings extends McpSettings {
  /** Names the file that `haft mcp` writes: `haft.mcp.json` in the folder of a configuration. Without it no server takes part. */
  file?: string;
}

const TEXT: OptionSchema = { type: "string", minLength: 1 };
const TEXTS: OptionSchema = { "haft:kind": "object", additionalProperties: { type: "string" } };

export const MCP_SERVER: OptionSchema = optionsSchema<McpServerSettings>({
  command: { ...TEXT, description: "A program that speaks on its standard input and output." },
  args: { type: "array", items: { type: "string" }, description: "Its arguments." },
  env: {
    ...TEXTS,
    description: "All variables it gets in addition to the common variables; ${NAME} is a variable of Haft.",
  },
  cwd: { ...TEXT, description: "Where it starts, as a path of the workspace." },
  url: { ...TEXT, description: "Instead of a program: where the server is." },
  headers: { ...TEXTS, description: "Sent with each request; ${NAME} is a variable of Haft's own." },
  oauth: {
    ...optionsSchema<McpOauthSettings>(
      {
        clientId: { ...TEXT, description: "Its name for this program." },
        clientSecret: { ...TEXT, description: "Where it gave one; ${NAME} is a variable of Haft's own." },
      },
      ["clientId"],
    ),
    description:
      "The registration of this program, if its authorization server does not register programs itself.",
  },
  network: {
    anyOf: [{ enum: ["none", "full"] }, { type: "array", items: TEXT }],
    description: "The network of its process: none (default), full, or hosts: api.example.com.",
  },
  outside: {
    type: "boolean",
    description:
      "It runs on this machine as it is, with all rights of the user. Default false: in a view of it.",
  },
  timeoutMs: {
    type: "integer",
    minimum: 1,
    maximum: 1_800_000,
    description:
      "Milliseconds until its start, or a call without news, is given up. Default 30,000 and 60,000.",
  },
});

export const MCP: OptionSchema = {
  ...optionsSchema<McpSettings>({
    servers: {
      "haft:kind": "object",
      additionalProperties: MCP_SERVER,
      description: "MCP servers by name. Each is blocked until it is accepted with haft mcp add NAME.",
    },
  }),
  description: "MCP servers whose tools sessions have, once their operator has accepted them.",
};

/** Removes possible secrets; names of variables stay. */
export function redactServer(settings: McpServerSettings): McpServerSettings {
  const { env, headers, oauth } = settings;
  const shown = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [
        key,
        /^[\w ]{0,20}\$\{\w+\}$/.test(value) ? value : "not shown: it may be a secret",
      ]),
    );
  return {
    ...settings,
    ...(env && { env: shown(env) }),
    ...(headers && { headers: shown(headers) }),
    ...(oauth && { oauth: { ...oauth, ...shown(withoutId(oauth)) } }),
  };
}

function withoutId({ clientId: _clientId, ...secret }: McpOauthSettings): Record<string, string> {
  return secret;
}

/** Returns problems that the schema does not find, with their position. */
export function findMcpProblems({
  servers = {},
}: McpSettings): { path: readonly string[]; message: string }[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    const problem = findServerProblem(name, server);
    return problem === undefined ? [] : [{ path: ["mcp", "servers", name], message: problem }];
  });
}

const HOST_MCP = optionsSchema<HostMcpSettings>({
  servers: (MCP["properties"] as { servers: OptionSchema }).servers,
  file: { type: "string", minLength: 1, description: "What haft mcp writes." },
});

/** @throws HaftError `INVALID_OPTIONS` */
export function checkHostMcp(mcp: HostMcpSettings | undefined): void {
  if (mcp === undefined) return;
  checkOptions("createHost: mcp", mcp, HOST_MCP);
  const [problem] = findMcpProblems(mcp);
  if (problem !== undefined)
    throw invalidOptions(`createHost: ${problem.path.join(".")}: ${problem.message}`);
}

/** Returns a sentence. */
export function findServerProblem(name: string, server: McpServerSettings): string | undefined {
  const { command, url, network, args, env, cwd, outside, headers, oauth } = server;
  if (!/^[a-z][a-z0-9-]{0,23}$/.test(name))
    return "A server has a name of small letters, digits and -, which begins with a letter, 24 characters at most.";
  if ((command === undefined) === (url === undefined)) return "A server has either a command or a url.";
  if (url !== undefined) {
    const parsed = URL.parse(url.replaceAll(/\$\{\w+\}/g, "x"));
    if (parsed === null || !/^https?:$/.test(parsed.protocol))
      return "Its url begins with https:// or http://.";
    if (parsed.username !== "" || parsed.password !== "")
      return "Its url names a user; send a header instead.";
    const ofProgram = { args, env, cwd, network, outside };
    const foreign = Object.entries(ofProgram).find(([, value]) => value !== undefined)?.[0];
    if (foreign !== undefined) return `A server at a url has no ${foreign}: that is for programs.`;
    return undefined;
  }
  if (headers !== undefined) return "A program gets no headers: they are for servers at a url.";
  if (oauth !== undefined) return "Nobody signs in to a program: oauth is for servers at a url.";
  if (outside === true && network !== undefined)
    return "A server that runs outside has the network of this machine; remove network.";
  const wrong = Array.isArray(network)
    ? network.find((host) => !isHostPattern(host.toLowerCase()))
    : undefined;
  return wrong === undefined
    ? undefined
    : `Its network has ${JSON.stringify(wrong)}, which is not a host. Write example.com or *.example.com.`;
}
