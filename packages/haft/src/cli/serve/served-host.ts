import { getErrorMessage } from "@haft/core";
import type { HostOptions, HostSessionOptions, Host } from "@haft/host";
import { getHostInternals } from "@haft/host/internal/host";
import type { SessionSource } from "@haft/mcp";
import { escapeInvisible } from "@haft/utils";
import type { InspectorPage } from "../inspect/serve-inspector-page.ts";
import { stderrLogger, reportStoreRecovery } from "../stderr-logger.ts";
import { UsageError } from "../usage.ts";

/** Milliseconds; clients give up after 60 s. */
const LONGEST_WAIT_MS = 30_000;

export function toServedOptions(options: HostOptions): HostOptions {
  return {
    ...options,
    approvalMode: "pending",
    preset: "contained",
    longestWaitMs: LONGEST_WAIT_MS,
    logger: stderrLogger,
  };
}

export function createSessionSource(host: Host, options: HostSessionOptions): SessionSource {
  const isOnHost = options.kind !== "sandboxed" && options.sandbox === undefined;
  return {
    async open() {
      // No command continues these runs: other rules would apply.
      const session = await host.openSession({ ...options, openedWith: ["serve"] });
      reportStoreRecovery(session);
      return session;
    },
    async isBusy(session) {
      const opened = getHostInternals(host)
        ?.sessions.all()
        .find((one) => one.session === session);
      const commands = (await opened?.workspace.processes?.list()) ?? [];
      return commands.some(({ state }) => state === "running");
    },
    // The first call determines containment, because that starts programs and no list needs it.
    preview: () => host.preview(isOnHost ? { ...options, workspace: host.workspace } : options),
    catalogue: () => host.catalogue,
    folders: () => (isOnHost ? host.workspace.describe().mounts : []),
  };
}

/** @param reloaded receives the time before the reload (milliseconds since the epoch), or `undefined` after a problem */
export function reloadOnSignal(
  hosts: () => readonly Host[] | Promise<readonly Host[]>,
  reloaded: (readAt: number | undefined) => Promise<void>,
): { end(): void } {
  const reload = async () => {
    try {
      const opened = await hosts();
      const readAt = Date.now();
      const all = await Promise.all(opened.map((host) => host.reload()));
      const problems = all.flatMap((each) => each.problems);
      await reloaded(problems.length === 0 ? readAt : undefined);
      for (const { message } of problems) logServed(message);
      console.error(`haft: ${whatHolds(all, problems.length > 0)}.`);
    } catch (thrown) {
      logServed(getErrorMessage(thrown));
    }
  };
  const listener = () => void reload();
  process.on("SIGUSR2", listener);
  return { end: () => void process.off("SIGUSR2", listener) };
}

function whatHolds(all: readonly { changed: boolean }[], isWrong: boolean): string {
  if (all.length === 0) return "no session is open; the next session reads the files";
  if (all.some(({ changed }) => changed)) return "reloaded; the rules have changed";
  return isWrong ? "the previous rules still apply" : "reloaded; the rules are the same";
}

/** `act`, or empty: read-only. @throws UsageError */
export function inspectRole(text: string | undefined): string | undefined {
  if (text === undefined || text === "" || text === "act") return text;
  throw new UsageError(`--inspect takes act, or nothing; got "${text}".`);
}

export async function openInspectorPage(
  host: Host,
  page: string | undefined,
  { stateDir }: { stateDir?: string | false | undefined },
): Promise<InspectorPage | undefined> {
  if (page === undefined) return undefined;
  const { serveInspectorPage } = await import("../inspect/serve-inspector-page.ts");
  return serveInspectorPage(host, {
    act: page === "act",
    stateDir,
    isRead: process.stderr.isTTY,
    notify: logServed,
  });
}

export function logServed(message: string): void {
  console.error(`haft: ${escapeInvisible(message)}`);
}
