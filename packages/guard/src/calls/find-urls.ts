const URL_IN_TEXT = /\b(?:https?|ftp|file|wss?):\/\/[^\s"'`<>()[\]{}|\\^]+/gi;
/** More are not looked for: each would be a host to decide about. */
const MAX = 64;

/** Addresses in a text, each once, as they stand there but for the stop of a sentence behind them. */
export function findUrls(text: string): string[] {
  const found = [...text.matchAll(URL_IN_TEXT)].map(([url]) => url.replace(/[.,;:!?]+$/, ""));
  return [...new Set(found)].slice(0, MAX + 1);
}

/**
 * Hosts of addresses, in lower case; `undefined` where one of them cannot be read, or there are too many, so that not all
 * hosts are known.
 */
export function parseHosts(urls: readonly string[]): string[] | undefined {
  if (urls.length === 0 || urls.length > MAX) return undefined;
  const hosts = urls.map((url) => {
    const parsed = URL.parse(url) ?? URL.parse(`https://${url}`);
    return parsed === null || parsed.hostname === "" ? undefined : hostName(parsed.hostname);
  });
  return hosts.includes(undefined) ? undefined : [...new Set(hosts as string[])];
}

function hostName(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}
