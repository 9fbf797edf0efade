import type { PatternProblem } from "./pattern-problem.ts";

/** `example.com` matches itself, `*.example.com` its subdomains only, `*` any host. Ports are ignored. */
export interface HostPattern {
  readonly suffix: boolean;
  readonly host: string;
}

export function compileHostPattern(text: string): HostPattern | PatternProblem {
  const shown = JSON.stringify(text);
  const lower = text.toLowerCase();
  if (lower === "*") return { suffix: true, host: "" };
  if (lower === "") return { message: "A host pattern is missing." };
  const suffix = lower.startsWith("*.");
  const host = suffix ? lower.slice(2) : lower;
  if (host.includes("*")) {
    const inner = host
      .slice(host.lastIndexOf("*") + 1)
      .replace(/^\./, "")
      .replace(/:\d+$/, "");
    const message = `${shown}: in a host, use * alone or at the start, as in *.example.com.`;
    return { message, nearest: nearestHost(`*.${inner}`) };
  }
  const star = suffix ? "*." : "";
  if (/^(\[[0-9a-f:.]+\]|[^:/]+):\d+$/.test(host)) {
    const nearest = nearestHost(star + host.replace(/:\d+$/, ""));
    return { message: `${shown} has a port; ports are ignored, so leave it out.`, nearest };
  }
  const name = canonical(host);
  if (name === undefined) {
    const [, inner = ""] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?(?:[^/@]*@)?([^/?#,\s]*)/.exec(host) ?? [];
    const nearest = nearestHost(star + inner.replace(/:\d+$/, "").replace(/^\.+|\.+$/g, ""));
    const message = `${shown} is not a host; write only a name or an address, without https:// or a path.`;
    return { message, nearest: nearest?.[0] === lower ? undefined : nearest };
  }
  if (suffix && /^[\d.]+$|:/.test(name))
    return { message: `${shown}: an address has no subdomains; leave *. out.` };
  return { suffix, host: suffix ? `.${name}` : name };
}

function nearestHost(text: string): string[] | undefined {
  const compiled = text.includes("*", 1) || /[:/]\d*$/.test(text) ? undefined : text.replace(/^\*\./, "");
  return compiled !== undefined && canonical(compiled) !== undefined ? [text] : undefined;
}

/** Returns `::1` or `xn--…`; `undefined` if the text is neither name nor address. */
function canonical(host: string): string | undefined {
  const inner = /^\[.*\]$/.test(host) ? host.slice(1, -1) : host;
  if (inner.includes(":")) {
    const url = `http://[${inner}]`;
    return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
  }
  if (!/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(host)) return undefined;
  const url = `http://${host}`;
  // Accepts names that the URL parser rejects.
  if (!URL.canParse(url)) return /^[\p{L}\p{N}._-]*\p{L}[\p{L}\p{N}._-]*$/u.test(host) ? host : undefined;
  const { hostname } = new URL(url);
  // Some programs read 127.1 and 0x7f.1 as addresses, others as names.
  return /^[\d.]+$/.test(hostname) && hostname !== host ? undefined : hostname;
}

export function matchesHost({ suffix, host }: HostPattern, subject: string): boolean {
  const plain = bare(subject.toLowerCase());
  const name = canonical(plain) ?? plain;
  return suffix ? name.endsWith(host) && name.length > host.length : name === host;
}

export function narrowerHost(one: HostPattern, other: HostPattern): HostPattern | undefined {
  if (isWithin(one, other)) return one;
  return isWithin(other, one) ? other : undefined;
}

function isWithin({ suffix, host }: HostPattern, outer: HostPattern): boolean {
  if (!outer.suffix) return !suffix && host === outer.host;
  return host.endsWith(outer.host) && (suffix || host.length > outer.host.length);
}

export function formatHost({ suffix, host }: HostPattern): string {
  return suffix ? `*${host}` : host;
}

function bare(host: string): string {
  const address = /^\[(.*)\](?::\d+)?$/.exec(host)?.[1];
  if (address !== undefined) return address;
  const name = /^[^:]*:\d+$/.test(host) ? host.slice(0, host.indexOf(":")) : host;
  return name.endsWith(".") ? name.slice(0, -1) : name;
}
