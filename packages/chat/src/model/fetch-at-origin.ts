import { redactSecrets } from "@haft/core/internal";
import { chatError } from "../errors.ts";

/** Redirects within one address, at most. */
const MAX_REDIRECTS = 5;

/**
 * `fetch` for an endpoint of a model: a key, and what is said, goes to the address that somebody named, and not to where that leads.
 * Within its origin a redirect is followed when it keeps the request as it is.
 *
 * @param baseUrl the address as it was named, to say which one to name instead
 * @throws HaftError `MODEL_UNREACHABLE`
 */
export function fetchAtOrigin(baseUrl: string): typeof fetch {
  return async (input, init) => {
    // The SDK gives an address, and the rest beside it.
    let url = new URL(input instanceof Request ? input.url : input);
    for (let followed = 0; ; followed++) {
      const response = await fetch(url, { ...init, redirect: "manual" });
      const { status } = response;
      const location = response.headers.get("location");
      if (status < 300 || status > 399 || location === null) return response;
      await response.body?.cancel();
      const to = URL.canParse(location, url) ? new URL(location, url) : undefined;
      const isHere = to?.origin === url.origin && (status === 307 || status === 308);
      if (!isHere || followed === MAX_REDIRECTS) throw redirected(url, status, to, baseUrl);
      url = to;
    }
  };
}

function redirected(from: URL, status: number, to: URL | undefined, baseUrl: string) {
  // What stands behind the path may be meant for nobody else's eyes.
  const shown = to === undefined ? "an address that is none" : redactSecrets(`${to.origin}${to.pathname}`);
  const base = to && baseOf(from, to, baseUrl);
  return chatError(
    "MODEL_UNREACHABLE",
    `${from.host} answered ${status}: it leads to ${shown}. Nothing was sent there.`,
    {
      details: { reason: "redirected" },
      ...(base !== undefined && {
        fix: `If that is the endpoint you mean, name it: --base-url ${redactSecrets(base)} (with --key-env, where it wants a key), or as the baseUrl of its provider in your configuration.`,
      }),
    },
  );
}

/** The address that makes the same request where it leads. */
function baseOf(from: URL, to: URL, baseUrl: string): string | undefined {
  if (to.protocol !== "https:" && to.protocol !== "http:") return undefined;
  const rest = from.pathname.slice(new URL(baseUrl).pathname.replace(/\/+$/, "").length);
  const path = to.pathname.endsWith(rest) ? to.pathname.slice(0, to.pathname.length - rest.length) : "";
  return `${to.origin}${path}`;
}
