/** `example.com` itself, `*.example.com` everything under it (but not itself), or `*`. Ports do not count. */
export interface HostPattern {
  readonly suffix: boolean;
  readonly host: string;
}

export function compileHostPattern(text: string): HostPattern | { message: string } {
  const shown = JSON.stringify(text);
  const lower = text.toLowerCase();
  if (lower === "*") return { suffix: true, host: "" };
  const suffix = lower.startsWith("*.");
  const host = suffix ? lower.slice(1) : lower;
  if (host.includes("*"))
    return { message: `${shown}: in a host * stands alone or in front, as in *.example.com.` };
  if (/^(\[[0-9a-f:.]+\]|[^:/]+):\d+$/.test(host))
    return { message: `${shown} has a port; ports do not count, so leave it out.` };
  if (!/^\.?([\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*|\[?[0-9a-f:.]*:[0-9a-f:.]*\]?)$/u.test(host)) {
    return { message: `${shown} is no host; write a name or an address alone, without https:// or a path.` };
  }
  return { suffix, host: bare(host) };
}

export function matchesHost({ suffix, host }: HostPattern, subject: string): boolean {
  const name = bare(subject.toLowerCase());
  return suffix ? name.endsWith(host) && name.length > host.length : name === host;
}

/** Without port, brackets and the dot at the end. */
function bare(host: string): string {
  const address = /^\[(.*)\](?::\d+)?$/.exec(host)?.[1];
  if (address !== undefined) return address;
  const name = /^[^:]*:\d+$/.test(host) ? host.slice(0, host.indexOf(":")) : host;
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
