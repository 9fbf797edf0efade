import type { CalledAt } from "./is-own-endpoint.ts";

/** All that a server over HTTP may say: what is not known here may lead elsewhere, or make another header. */
const KNOWN = new Set(
  "type url headers http_headers bearer_token_env_var enabled tools timeout startup_timeout_sec tool_timeout_sec".split(
    " ",
  ),
);
const TYPES: readonly unknown[] = [undefined, "http", "streamable-http", "remote"];
const HEADERS: readonly string[] = ["authorization", "haft-session"];

/** How a server of a configuration is called over HTTP; nothing where it is not, or not plainly. */
export function calledAt(server: Record<string, unknown>, env: NodeJS.ProcessEnv): CalledAt | undefined {
  const { type, url, bearer_token_env_var: variable } = server;
  const headers = Object.entries<unknown>({
    ...Object(server["headers"]),
    ...Object(server["http_headers"]),
  });
  const isPlain =
    typeof url === "string" &&
    TYPES.includes(type) &&
    Object.keys(server).every((key) => KNOWN.has(key)) &&
    headers.every(([name]) => HEADERS.includes(name.toLowerCase()));
  if (!isPlain) return undefined;
  const tokens = [
    ...(typeof variable === "string" ? [env[variable]] : []),
    ...headers
      .filter(([name]) => name.toLowerCase() === "authorization")
      .map(([, value]) => tokenIn(String(value), env)),
  ];
  const [token, more] = tokens;
  return token === undefined || token === "" || more !== undefined ? undefined : { url, token };
}

/** Agents read variables out of `${NAME}`, or `{env:NAME}`. */
function tokenIn(header: string, env: NodeJS.ProcessEnv): string | undefined {
  const text = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  const name = /^(?:\$\{(\w+)\}|\{env:(\w+)\})$/.exec(text);
  return name === null ? text : env[name[1] ?? name[2] ?? ""];
}
