import { canonicalAddress } from "@haft/workspace/internal/network";
import { isIP, isIPv4 } from "node:net";

export interface Target {
  /** Lower case without a trailing dot; an address is normalized, without brackets. */
  host: string;
  port: number;
}

const LONGEST_NAME = 253;

export function readAuthority(text: string): Target | undefined {
  const [, host, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  return host === undefined ? undefined : readTarget(host, Number(port));
}

export function readAbsolute(text: string): (Target & { path: string }) | undefined {
  // Before URL normalizes it: ambiguous input must not be passed on.
  const [, host, port, rest] =
    /^http:\/\/(\[[^\]/?#@]*\]|[^:/?#@[\]]*)(?::(\d{1,5}))?([/?][!-~]*)?$/i.exec(text) ?? [];
  const target = host === undefined ? undefined : readTarget(host, port === undefined ? 80 : Number(port));
  if (target === undefined || rest?.includes("#") === true || rest?.includes("\\") === true) return undefined;
  const path = rest === undefined ? "/" : rest.startsWith("/") ? rest : `/${rest}`;
  return { ...target, path };
}

/** `host` for the usual ports, or `host:port`. */
export function readHost(text: string): { host: string; port?: number } | undefined {
  if (isIP(text) === 6) return { host: canonicalAddress(text) };
  const host = readName(text);
  return host === undefined ? readAuthority(text) : { host };
}

function readTarget(text: string, port: number): Target | undefined {
  const host = readName(text);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function readName(text: string): string | undefined {
  const inner = /^\[(.*)\]$/.exec(text)?.[1];
  // Zones name an interface of this machine.
  if (inner !== undefined)
    return isIP(inner) === 6 && !inner.includes("%") ? canonicalAddress(inner) : undefined;
  if (isIPv4(text)) return text;
  const name = text.toLowerCase().replace(/\.$/, "");
  if (name.length > LONGEST_NAME || !/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name)) return undefined;
  // As in the URL standard: some programs read 127.1, 0x7f000001 and 2130706433 as addresses.
  const last = name.slice(name.lastIndexOf(".") + 1);
  return /^(\d+|0x[0-9a-f]*)$/.test(last) ? undefined : name;
}

export function formatTarget({ host, port }: Target): string {
  return port === 80 || port === 443 ? bracketed(host) : `${bracketed(host)}:${port}`;
}

export function hostHeader({ host, port }: Target): string {
  return port === 80 ? bracketed(host) : `${bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
