import { isObject } from "./leaves.ts";

const HIDDEN = "not shown: it may be a secret";

/** What a configuration says of records and notices, as far as it may be shown: an address is often all that is needed to use it. */
export function shownRecords(key: string, value: unknown): unknown {
  if (key === "store") return shownStore(value);
  if (key === "node" || key === "nodes") return withoutSecrets(value);
  if (key !== "approvals" || !isObject(value)) return value;
  const { notify, ...rest } = value;
  const shown = Array.isArray(notify) ? notify.map(shownTarget) : shownTarget(notify);
  return { ...rest, ...(notify === undefined ? {} : { notify: shown }) };
}

function shownTarget(target: unknown): unknown {
  if (!isObject(target) || "command" in target) return target;
  const { url, headers, ...rest } = target;
  return { url: shownUrl(url), ...rest, ...(headers === undefined ? {} : { headers: covered(headers) }) };
}

/** Of a server of nodes: all but what lets somebody in. */
function withoutSecrets(value: unknown, name?: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, name));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each, key)]));
  if (name === "password" || name === "token") return HIDDEN;
  return typeof value === "string" ? value.replace(/\/\/[^@/]*@/, "//…@") : value;
}

/** Where to, and nothing behind it. */
function shownUrl(url: unknown): unknown {
  if (typeof url !== "string") return url;
  return URL.canParse(url) ? `${new URL(url).origin}/… (the rest is not shown)` : HIDDEN;
}

/** Of a server the way to it, and what it is shown by its file. */
function shownStore(store: unknown): unknown {
  if (!isObject(store) || !isObject(store["nats"])) return store;
  const { servers, password, token, ...rest } = store["nats"];
  return {
    nats: {
      servers: Array.isArray(servers) ? servers.map(shownServer) : shownServer(servers),
      ...rest,
      ...(password === undefined ? {} : { password: covered(password) }),
      ...(token === undefined ? {} : { token: covered(token) }),
    },
  };
}

/** Without the password that may stand in front of its name. */
function shownServer(server: unknown): unknown {
  return typeof server === "string" ? server.replace(/^(\w+:\/\/)?.*@/s, "$1") : server;
}

/** Texts that a server is shown, but for names of variables. */
function covered(value: unknown, name = ""): unknown {
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, covered(each, key)]));
  return typeof value !== "string" || name === "env" ? value : HIDDEN;
}
