import { isObject } from "./leaves.ts";

const HIDDEN = "not shown: it may be a secret";

/** What a configuration says of records and notices, as far as it may be shown: an address is often all that is needed to use it. */
export function shownRecords(key: string, value: unknown): unknown {
  if (key === "store") return covered(value);
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

/** Where to, and nothing behind it. */
function shownUrl(url: unknown): unknown {
  if (typeof url !== "string") return url;
  return URL.canParse(url) ? `${new URL(url).origin}/… (the rest is not shown)` : HIDDEN;
}

/** Texts that a server is shown, but for names of variables. */
function covered(value: unknown, name?: string): unknown {
  if (Array.isArray(value)) return value.map((each) => covered(each, name));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, covered(each, key)]));
  if (typeof value !== "string" || name === undefined || name === "env") return value;
  return name === "servers" ? shownUrl(value) : HIDDEN;
}
