const URL_IN_TEXT = /\b(?:https?|ftp|file|wss?):\/\/[^\s"'`<>()[\]{}|\\^]+/gi;
const MAX = 64;

export function findUrls(text: string): string[] {
  const found = [...text.matchAll(URL_IN_TEXT)].map(([url]) => url.replace(/[.,;:!?]+$/, ""));
  return [...new Set(found)].slice(0, MAX + 1);
}

/** Returns `undefined` for an invalid URL, or too many. */
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
