import type { HaftError } from "@haft/core";
import { inspectorError } from "../errors.ts";

export interface ServedOrigin {
  port: number;
  /** A proxy's origin: `https://inspect.example`. */
  origin?: string;
}

interface MadeBy {
  host: string | undefined;
  origin: string | undefined;
  site: string | undefined;
}

/**
 * Accepts the page's requests to the inspector's names. This rejects foreign names (DNS rebinding). Browsers
 * report other pages' origins reliably.
 *
 * @param isData False for the page, which links may open.
 * @throws HaftError `INSPECT_REFUSED`
 */
export function requireSameOrigin({ host, origin, site }: MadeBy, by: ServedOrigin, isData: boolean): void {
  const origins = originsOf(by);
  const hosts = origins.map((one) => new URL(one).host);
  if (host === undefined || !hosts.includes(host.toLowerCase()))
    throw refused("host", `${JSON.stringify(host ?? "")} is not a name of the inspector.`);
  if (origin !== undefined && !origins.includes(origin.toLowerCase()))
    throw refused("origin", `The request is from a page of ${JSON.stringify(origin)}.`);
  // `none`: a typed address. Programs omit the header.
  if (isData && site !== undefined && site !== "same-origin" && site !== "none")
    throw refused("origin", `The request is from another page (${site}).`);
}

function refused(reason: "host" | "origin", message: string): HaftError {
  return inspectorError("INSPECT_REFUSED", message, { details: { reason } });
}

function originsOf({ port, origin }: ServedOrigin): string[] {
  const localNames = ["127.0.0.1", "localhost", "[::1]"].map(
    (name) => new URL(`http://${name}:${port}`).origin,
  );
  return origin === undefined ? localNames : [...localNames, origin];
}
