/** These usually name another machine. */
const SCHEME = /^(?:https?|ftps?|ssh|git|git\+ssh|ssh\+git):\/\/[^/]/i;
/** `user@host:path`: no slash before the colon, and no double colon, which names a helper. */
const HOST_AND_PATH = /^[A-Za-z0-9_][\w.@+-]*:(?!:)|^(?:[\w.+-]+@)?\[[0-9a-fA-F:.]+\]:(?!:)/;
/** Addresses of this machine, whose files they expose. */
const LOOPBACK =
  /^(?:localhost(?:\.localdomain)?|.*\.localhost|127(?:\.\d+){1,3}|0(?:\.0){0,3}|\[?::1\]?|\[?::ffff:127.*)$/i;

/** A number is also an address: `2130706433`, `0x7f.1`. */
const NUMBER = /^(?!\d{1,3}(?:\.\d{1,3}){3}$)(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?$/i;

/**
 * Returns whether an address of git leads to another machine. All others are local files, or name a program.
 *
 * @example
 * ```ts run
 * import { isNetworkAddress } from "@haft/commands";
 *
 * isNetworkAddress("git@example.com:team/app.git"); // => true
 * isNetworkAddress("../app"); // => false
 * isNetworkAddress("ext::sh -c evil"); // => false
 * ```
 */
export function isNetworkAddress(address: string): boolean {
  if (/[\0-\x20\x7f\\]/.test(address)) return false;
  if (SCHEME.test(address)) {
    const [, scheme = "", rest = ""] = /^([^:]+):\/\/([^/]*)/.exec(address) ?? [];
    if (/(?:^|@)-/.test(rest)) return false;
    // A local HTTP or FTP server controls its answers. A shell or daemon opens any repository.
    return /^(?:http|ftp)/i.test(scheme) || !isLoopback(rest);
  }
  // Other schemes name a program: `ext::`.
  if (/^file:|:\/\//i.test(address)) return false;
  return HOST_AND_PATH.test(address) && !isLoopback(hostOf(address));
}

function hostOf(address: string): string {
  const [, bracketed, plain = ""] = /^(?:[^@[]*@)?(?:(\[[^\]]*\])|([^:]*)):/.exec(address) ?? [];
  return bracketed ?? plain;
}

function isLoopback(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const name = (host.startsWith("[") ? host.replace(/\]:\d+$/, "]") : host.replace(/:\d*$/, "")).replace(
    /\.$/,
    "",
  );
  return LOOPBACK.test(name) || NUMBER.test(name);
}

/** Describes `url.<base>.insteadOf` or `url.<base>.pushInsteadOf` of git. */
export interface Rewrite {
  /** Contains the beginning of the addresses to rewrite. */
  from: string;
  /** Contains the replacement. */
  base: string;
}

/**
 * Rewrites an address like git: the longest matching beginning is replaced once.
 *
 * @example
 * ```ts run
 * import { rewriteAddress } from "@haft/commands";
 *
 * const rewrites = [{ from: "work:", base: "https://git.example.com/" }];
 * rewriteAddress("work:app.git", rewrites); // => "https://git.example.com/app.git"
 * ```
 */
export function rewriteAddress(address: string, rewrites: readonly Rewrite[]): string {
  let best: Rewrite | undefined;
  for (const one of rewrites) {
    if (address.startsWith(one.from) && one.from.length > (best?.from.length ?? -1)) best = one;
  }
  return best === undefined ? address : best.base + address.slice(best.from.length);
}
