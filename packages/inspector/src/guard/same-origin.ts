import type { HaftError } from "@haft/core";
import { inspectorError } from "../errors.ts";

export interface ServedOrigin {
  port: number;
  /** As one's own server in front of it is called: `https://inspect.example`. */
  origin?: string;
}

interface MadeBy {
  host: string | undefined;
  origin: string | undefined;
  site: string | undefined;
}

/**
 * Lets requests through that come by one of the inspector's own names, and from its own page. A name that a stranger made lead here
 * (DNS rebinding) is none of these, and a page of another origin is told by its browser, which pages cannot change.
 *
 * @param isData not the page itself, to which somebody may follow a link
 * @throws HaftError `INSPECT_REFUSED`
 */
export function requireSameOrigin({ host, origin, site }: MadeBy, by: ServedOrigin, isData: boolean): void {
  const origins = originsOf(by);
  const hosts = origins.map((one) => new URL(one).host);
  if (host === undefined || !hosts.includes(host.toLowerCase()))
    throw refused("host", `The inspector is not called ${JSON.stringify(host ?? "")}.`);
  if (origin !== undefined && !origins.includes(origin.toLowerCase()))
    throw refused("origin", `The request was made by a page of ${JSON.stringify(origin)}.`);
  // `none`: somebody typed the address. Programs say nothing of the kind.
  if (isData && site !== undefined && site !== "same-origin" && site !== "none")
    throw refused("origin", `The request was made by a page elsewhere (${site}).`);
}

function refused(reason: "host" | "origin", message: string): HaftError {
  return inspectorError("INSPECT_REFUSED", message, { details: { reason } });
}

function originsOf({ port, origin }: ServedOrigin): string[] {
  const own = ["127.0.0.1", "localhost", "[::1]"].map((name) => new URL(`http://${name}:${port}`).origin);
  return origin === undefined ? own : [...own, origin];
}
