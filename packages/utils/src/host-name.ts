/** A host as rules, lists and plans have it: in lower case, an address without brackets, no dot at its end. */
export function normalizeHost({ hostname }: { hostname: string }): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** Is it a name or an address as the URL standard spells it, alone or with `*.` in front? */
export function isHostPattern(text: string): boolean {
  const host = text.startsWith("*.") ? text.slice(2) : text;
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return host !== "" && !host.includes("*") && URL.canParse(url) && normalizeHost(new URL(url)) === host;
}

/** `example.com` is itself alone, `*.example.com` everything under it. */
export function matchesHostName(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}
