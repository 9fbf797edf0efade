import { isObject } from "@haft/core/internal";
import { shownServer } from "../../settings/mcp-servers.ts";

const HIDDEN = "not shown: it may be a secret";

/** What a configuration says of records and notices, as far as it may be shown: an address is often all that is needed to use it. */
export function shownRecords(key: string, value: unknown): unknown {
  if (key === "nats" && isObject(value)) return shownNats(value);
  if ((key === "node" || key === "nodes") && isObject(value))
    return value["server"] === undefined ? value : { ...value, server: withoutPassword(value["server"]) };
  if (key === "mcp") return shownMcp(value);
  if (key !== "approvals" || !isObject(value)) return value;
  const { notify, ...rest } = value;
  return { ...rest, ...(Array.isArray(notify) && { notify: notify.map(shownTarget) }) };
}

function shownMcp(value: unknown): unknown {
  const servers = isObject(value) ? value["servers"] : undefined;
  if (!isObject(servers)) return value;
  const shown = Object.entries(servers).map(([name, one]) => [name, isObject(one) ? shownServer(one) : one]);
  return { servers: Object.fromEntries(shown) };
}

function shownTarget(target: unknown): unknown {
  if (!isObject(target) || "command" in target) return target;
  const { url, headers, ...rest } = target;
  return { url: shownUrl(url), ...rest, ...(headers === undefined ? {} : { headers: covered(headers) }) };
}

/** Where to, and nothing behind it. */
function shownUrl(url: unknown): unknown {
  if (typeof url !== "string") return url;
  return URL.canParse(url) ? `${new URL(url).origin}/… (the rest is not shown)` : HIDDEN;
}

function shownNats({ servers, password, token, ...rest }: Record<string, unknown>): object {
  return {
    servers: Array.isArray(servers) ? servers.map(withoutPassword) : withoutPassword(servers),
    ...rest,
    ...(password === undefined ? {} : { password: covered(password) }),
    ...(token === undefined ? {} : { token: covered(token) }),
  };
}

/** Without the password that may stand in front of its name. */
function withoutPassword(server: unknown): unknown {
  return typeof server === "string" ? server.replace(/^(\w+:\/\/)?.*@/s, "$1") : server;
}

/** Texts that a server is shown, but for names of variables. */
function covered(value: unknown, name = ""): unknown {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, covered(each, key)]));
  return typeof value !== "string" || name === "env" ? value : HIDDEN;
}
