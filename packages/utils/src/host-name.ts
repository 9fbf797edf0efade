/**
 * Returns the host of a URL as rules and lists name it: addresses without brackets, and no final dot. A parsed `URL` has its host in lower
 * case.
 *
 * @example
 * ```ts run
 * import { normalizeHost } from "@haft/utils";
 * normalizeHost(new URL("https://API.Example.com./v1")); // => "api.example.com"
 * normalizeHost(new URL("http://[::1]:8080/")); // => "::1"
 * ```
 */
export function normalizeHost({ hostname }: { hostname: string }): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/**
 * Returns whether a text is a host name or address, as the URL standard spells it, or such a host after `*.`.
 *
 * @example
 * ```ts run
 * import { isHostPattern } from "@haft/utils";
 * isHostPattern("*.example.com"); // => true
 * isHostPattern("https://example.com"); // => false
 * ```
 */
export function isHostPattern(text: string): boolean {
  const host = text.startsWith("*.") ? text.slice(2) : text;
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return host !== "" && !host.includes("*") && URL.canParse(url) && normalizeHost(new URL(url)) === host;
}

/**
 * Returns whether a pattern covers a host. `*.example.com` covers every host below it, but not `example.com`. Both texts must be normalized
 * ({@link normalizeHost}).
 *
 * @example
 * ```ts run
 * import { matchesHostName } from "@haft/utils";
 * matchesHostName("*.example.com", "api.example.com"); // => true
 * matchesHostName("*.example.com", "example.com"); // => false
 * ```
 */
export function matchesHostName(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}
