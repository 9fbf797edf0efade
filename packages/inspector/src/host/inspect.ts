import type { RunRecord } from "@haft/core/kernel";
import type { Host } from "@haft/host";
import { type InspectorOptions, type ServedInspector, serveInspector } from "../server/serve-inspector.ts";
import { hostSource } from "./host-source.ts";

/** How a host is inspected. */
export interface InspectOptions extends InspectorOptions {
  /** The command that continues a run, for requests whose program is gone. Default: none is named. */
  resume?: (run: RunRecord) => string | undefined;
}

/**
 * Serves a page on this machine that shows the sessions of a host as they go, what waits for approval, its rules, its tools and its
 * ledger. Nobody is let in without the address that it answers, which holds a
 * token: say it to nobody but whoever is to look, and write it where no command of a session reads.
 *
 * ```ts fragment
 * const page = await inspect(host, { act: true });
 * console.log(page.url);
 * ```
 *
 * @param host that `createHost` made; it is not closed with the page, and the page is to be closed before it
 * @throws HaftError `INVALID_OPTIONS`, `INSPECT_LISTEN`
 */
export async function inspect(host: Host, options: InspectOptions = {}): Promise<ServedInspector> {
  return serveSource(host, "live", options);
}

/** The same for a host that opens no sessions: what other programs keep. */
export async function inspectStored(host: Host, options: InspectOptions = {}): Promise<ServedInspector> {
  return serveSource(host, "kept", options);
}

async function serveSource(
  host: Host,
  mode: "live" | "kept",
  { resume, ...options }: InspectOptions,
): Promise<ServedInspector> {
  return serveInspector(await hostSource(host, { mode, resume }), options);
}
