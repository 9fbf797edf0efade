import type { RunRecord } from "@haft/core/kernel";
import type { Host } from "@haft/host";
import { type InspectorOptions, type ServedInspector, serveInspector } from "../server/serve-inspector.ts";
import { hostSource } from "./host-source.ts";

/**
 * Configures the inspector of a host.
 *
 * @example
 * ```ts
 * import type { InspectOptions } from "@haft/inspector";
 * const options: InspectOptions = { act: true, port: 7400, resume: ({ runId }) => `agent resume ${runId}` };
 * ```
 */
export interface InspectOptions extends InspectorOptions {
  /** Returns the command that continues a run after its program ended. Default: no command is named. */
  resume?: (run: RunRecord) => string | undefined;
}

/**
 * Serves a local page with a host's live sessions, waiting calls, rules, tools and ledger. The URL contains
 * the required token. Give it only to the person who uses it, and store it out of reach of sessions.
 *
 * @param host The result of `createHost`. Close the page before the host.
 *
 * @throws HaftError `INVALID_OPTIONS`, `INSPECT_LISTEN`
 * @example
 * ```ts
 * import { createHost } from "@haft/host";
 * import { inspect } from "@haft/inspector";
 * const host = await createHost();
 * const page = await inspect(host, { act: true });
 * console.log(page.url);
 * await page.close();
 * await host.close();
 * ```
 */
export async function inspect(host: Host, options: InspectOptions = {}): Promise<ServedInspector> {
  return serveSource(host, "live", options);
}

/**
 * Serves the page of {@link inspect} for a host without sessions, from other programs' records.
 *
 * @throws HaftError `INVALID_OPTIONS`, `INSPECT_LISTEN`
 * @example
 * ```ts
 * import { createHost } from "@haft/host";
 * import { inspectStored } from "@haft/inspector";
 * const host = await createHost({ stateDir: "/var/lib/agent" });
 * const page = await inspectStored(host, { resume: ({ sessionKey }) => `agent resume ${sessionKey}` });
 * ```
 */
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
