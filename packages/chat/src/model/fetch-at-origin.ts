import { redactSecrets } from "@haft/core/internal";
import { chatError } from "../errors.ts";

const MAX_REDIRECTS = 5;

/**
 * Returns a `fetch` that sends keys and messages only to the origin of the request. It follows a redirect
 * within it that preserves the request.
 *
 * @param baseUrl the configured address
 * @throws HaftError `MODEL_UNREACHABLE`
 */
export function fetchAtOrigin(baseUrl: string): typeof fetch {
  return async (input, init) => {
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
  // The query may contain a secret.
  const shown = to === undefined ? "an invalid address" : redactSecrets(`${to.origin}${to.pathname}`);
  const base = to && baseOf(from, to, baseUrl);
  return chatError(
    "MODEL_UNREACHABLE",
    `${from.host} answered ${status}, a redirect to ${shown}. Nothing was sent there.`,
    {
      details: { reason: "redirected" },
      ...(base !== undefined && {
        fix: `If you trust that address, set it: --base-url ${redactSecrets(base)} (with --key-env if it needs a key), or the baseUrl of its provider in your configuration.`,
      }),
    },
  );
}

function baseOf(from: URL, to: URL, baseUrl: string): string | undefined {
  if (to.protocol !== "https:" && to.protocol !== "http:") return undefined;
  const rest = from.pathname.slice(new URL(baseUrl).pathname.replace(/\/+$/, "").length);
  const path = to.pathname.endsWith(rest) ? to.pathname.slice(0, to.pathname.length - rest.length) : "";
  return `${to.origin}${path}`;
}
