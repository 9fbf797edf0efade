import type { HaftError } from "@haft/core";
import { isIP } from "node:net";
import { workspaceError } from "../errors.ts";
import { canonicalAddress, kindOfAddress } from "./host-address.ts";
import type { IsOpened, Target } from "./opened-places.ts";

export type Lookup = (host: string) => Promise<readonly { address: string }[]>;

export const systemLookup: Lookup = async (host) =>
  (await import("node:dns/promises")).lookup(host, { all: true });

/**
 * The addresses that may be connected to for a host. Whoever connects has to connect to these very ones: a name may lead
 * elsewhere the next time.
 *
 * @throws HaftError `ADDRESS_REFUSED`, `FETCH_FAILED`
 */
export async function addressesFor(target: Target, lookup: Lookup, isOpened: IsOpened): Promise<string[]> {
  const { host } = target;
  const found = isIP(host) === 0 ? await lookUp(host, lookup) : [canonicalAddress(host)];
  const fit = found.filter((address) => kindOfAddress(address) === "public" || isOpened(target, address));
  if (fit.length > 0) return fit;
  throw refused(target, found[0]!);
}

async function lookUp(host: string, lookup: Lookup): Promise<string[]> {
  let found: readonly { address: string }[];
  try {
    found = await lookup(host);
  } catch (thrown) {
    const why = String((thrown as NodeJS.ErrnoException).code ?? thrown);
    throw workspaceError(
      "FETCH_FAILED",
      `${host} was not reached: its name could not be looked up (${why}).`,
      {
        cause: thrown,
        receipt: "none",
      },
    );
  }
  const addresses = found.map(({ address }) => address).filter((address) => isIP(address) !== 0);
  if (addresses.length === 0)
    throw workspaceError("FETCH_FAILED", `${host} was not reached: its name has no address.`, {
      receipt: "none",
    });
  return [...new Set(addresses.map(canonicalAddress))];
}

function refused({ host, port }: Target, address: string): HaftError {
  const whose = kindOfAddress(address) === "host" ? "this machine itself" : "a local network";
  const leads = address === host ? `${host} is an address of` : `${host} leads to ${address}, an address of`;
  const message = `${leads} ${whose}, and tools reach those only where the operator opened them.`;
  const opens = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return workspaceError("ADDRESS_REFUSED", message, {
    fix: `Ask the operator: network: { allowPrivate: ["${opens}"] } in the configuration opens it.`,
    details: { host, port, address },
  });
}
