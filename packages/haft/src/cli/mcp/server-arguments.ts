import { type McpServerSettings, findServerProblem } from "@haft/config/internal/settings";
import { FLAG, FOLDER, TEXT, TEXTS, UsageError, type Values } from "../usage.ts";
import type { McpValues } from "./mcp-context.ts";

export const serverOptions = {
  network: TEXT,
  env: TEXTS,
  header: TEXTS,
  "client-id": TEXT,
  "client-secret": TEXT,
  cwd: FOLDER,
  outside: FLAG,
  timeout: TEXT,
} as const;

export type ServerValues = McpValues & Values<typeof serverOptions>;

export function readServerArguments(
  name: string,
  words: readonly string[],
  values: ServerValues,
): McpServerSettings | undefined {
  const [first, ...rest] = words;
  const { network, env, header, cwd, outside, timeout } = values;
  const { "client-id": clientId, "client-secret": clientSecret } = values;
  if (first === undefined) {
    const given = Object.keys(serverOptions).find((option) => option in values);
    if (given !== undefined)
      throw new UsageError(
        `--${given} needs a server on the same command line: haft mcp add NAME … -- COMMAND.`,
      );
    return undefined;
  }
  const isUrl = /^https?:\/\//i.test(first);
  if (!isUrl && /^[a-z][a-z\d+.-]*:\/\//i.test(first))
    throw new UsageError(`A server is an http:// or https:// address, or a program; got "${first}".`);
  if (isUrl && rest.length > 0)
    throw new UsageError(`A server at an address takes no arguments; got ${JSON.stringify(rest.join(" "))}.`);
  if (clientSecret !== undefined && clientId === undefined)
    throw new UsageError("--client-secret needs --client-id.");
  const settings: McpServerSettings = {
    ...(isUrl ? { url: first } : { command: first, ...(rest.length > 0 && { args: rest }) }),
    ...(env !== undefined && { env: pairs("--env", env, (variable) => `\${${variable}}`) }),
    ...(header !== undefined && { headers: pairs("--header", header) }),
    ...(clientId !== undefined && {
      oauth: {
        clientId,
        ...(clientSecret !== undefined && { clientSecret: `\${${readVariable(clientSecret)}}` }),
      },
    }),
    ...(network !== undefined && { network: readNetwork(network) }),
    ...(cwd !== undefined && { cwd }),
    ...(outside === true && { outside }),
    ...(timeout !== undefined && { timeoutMs: readTimeout(timeout) }),
  };
  const problem = findServerProblem(name, settings);
  if (problem !== undefined) throw new UsageError(problem);
  return settings;
}

/** Other processes can read command lines. */
function readVariable(text: string): string {
  if (/^\w+$/.test(text)) return text;
  throw new UsageError(
    "--client-secret is the NAME of a variable of Haft's environment that contains the secret.",
  );
}

function readNetwork(text: string): NonNullable<McpServerSettings["network"]> {
  if (text === "none" || text === "full") return text;
  return text.split(",").map((host) => host.trim().toLowerCase());
}

function readTimeout(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_800_000) return value;
  throw new UsageError(`--timeout is a number of milliseconds up to 1,800,000; got "${text}".`);
}

/** Parses `NAME=VALUE`, or the name of a variable for the server's start. */
function pairs(
  option: string,
  given: readonly string[],
  named?: (name: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    given.map((word) => {
      const [, name = "", value] = /^([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
      const text = value ?? named?.(name);
      if (name === "" || text === undefined)
        throw new UsageError(`${option} is ${named ? "NAME or " : ""}NAME=VALUE; got "${word}".`);
      return [name, text];
    }),
  );
}
