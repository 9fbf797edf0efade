import { withoutUndefined } from "@haft/core";
import { resolve } from "node:path";
import { defaultStateFolder } from "../../boundary/state-folder.ts";
import { lookAtProcess } from "../../guard/clients/look-at-process.ts";
import { type EndpointRecord, removeEndpoint, writeEndpoint } from "../../serve/endpoint-record.ts";
import type { ServedToken } from "../../serve/settings.ts";
import { placesOfShell } from "../../settings/hidden-text.ts";
import type { SessionValues } from "../session-arguments.ts";

export interface NotedEndpoint {
  /** Again, when rules were read. @param readAt milliseconds since 1970, of before they were */
  write(readAt: number): void;
  remove(): void;
}

/** Addresses that nobody but this machine has. */
const OWN_ADDRESS = /^http:\/\/(?:127(?:\.\d+){3}|\[::1\]):/;
/** By the clock of files, which is some milliseconds behind. */
const CLOCKS_MS = 50;

/**
 * Has an endpoint say of itself where it listens, and by which rules it decides: the guard's hooks leave calls to it then. Nothing
 * where it decides by rules that those cannot know of, or is reached by others.
 */
export function noteEndpoint(
  { config, "no-config": without, "admin-policy": administrator, state, policy }: SessionValues,
  {
    url,
    tokens,
    digests,
  }: {
    url: string;
    tokens: Readonly<Record<string, ServedToken>>;
    digests: Readonly<Record<string, string>>;
  },
): NotedEndpoint | undefined {
  const decidesOtherwise = [config, without, administrator, state].some((value) => value !== undefined);
  const self = lookAtProcess(process.pid);
  if (decidesOtherwise || !OWN_ADDRESS.test(url) || self === undefined) return undefined;
  const stateDir = defaultStateFolder();
  const known = Object.entries(tokens).map(([name, { policy: own = policy }]) => [
    digests[name] ?? "",
    withoutUndefined({ policy: own === undefined ? undefined : resolve(own) }),
  ]);
  const record: Omit<EndpointRecord, "readAt"> = {
    url,
    pid: process.pid,
    started: self.started,
    places: placesOfShell(),
    tokens: Object.fromEntries(known) as EndpointRecord["tokens"],
  };
  return {
    write: (readAt) => writeEndpoint(stateDir, { ...record, readAt: readAt - CLOCKS_MS }),
    remove: () => removeEndpoint(stateDir, { ...record, readAt: 0 }),
  };
}
