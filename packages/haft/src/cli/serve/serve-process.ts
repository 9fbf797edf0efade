import { messageOf } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import type { SessionSource } from "@haft/mcp";
import { Writable } from "node:stream";
import type { HostOptions, HostSessionOptions } from "../../host/host-options.ts";
import { createHost, type Host } from "../../host/host.ts";
import { asOwn, holdStdout } from "../../plugins/hold-stdout.ts";
import { untilSignal } from "../call/until-signal.ts";
import { nobodyReads } from "../nobody-reads.ts";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { tellOfStore } from "../tell-of-store.ts";

/** Milliseconds a call waits for its command at most: clients give up at 60 s. */
const LONGEST_WAIT_MS = 30_000;

/** Serves whoever started this process. Resolves to the exit code. */
export async function serveProcess(values: SessionValues): Promise<number> {
  const until = untilSignal();
  // Messages alone go there, whatever tools print.
  const release = holdStdout();
  if (process.stdin.isTTY) tellPerson();
  const opening = openSource(values);
  let host: Host | undefined;
  try {
    const { serveStdio } = await import("@haft/mcp");
    const source = opening.then(({ source: one }) => one);
    const served = await serveStdio(source, { output: ownOutput(), onProblem: tell });
    ({ host } = await opening);
    const reload = reloading(host, () => served.toolsChanged());
    await Promise.race([served.ended, aborted(until.signal)]);
    reload.end();
    await served.close();
    return until.code() ?? 0;
  } finally {
    host ??= (await opening.catch(() => undefined))?.host;
    await host?.close();
    release();
    until.end();
    process.stdin.destroy();
  }
}

async function openSource(values: SessionValues): Promise<{ host: Host; source: SessionSource }> {
  const { host: options, session } = await readSessionValues(values);
  const host = await createHost(servedOptions(options));
  return { host, source: sourceOf(host, session) };
}

/** What hosts are made of whose sessions are served. */
function servedOptions(options: HostOptions): HostOptions {
  return {
    ...options,
    approvalMode: "pending",
    preset: "contained",
    longestWaitMs: LONGEST_WAIT_MS,
    logger: stderrLogger,
  };
}

/** Sessions of one host as they are served. */
function sourceOf(host: Host, options: HostSessionOptions): SessionSource {
  return {
    async open() {
      const session = await host.openSession(options);
      tellOfStore(session);
      return session;
    },
    preview: () => host.preview(options),
    catalogue: () => host.catalogue,
  };
}

/** Reads rules anew when the operator says so. */
function reloading(host: Host, reloaded: () => Promise<void>): { end(): void } {
  const reload = async () => {
    try {
      const { changed, problems } = await host.reload();
      await reloaded();
      console.error(`haft: read anew; ${changed ? "other rules hold now" : "nothing is otherwise"}.`);
      for (const { message } of problems) tell(message);
    } catch (thrown) {
      tell(messageOf(thrown));
    }
  };
  const listener = () => void reload();
  process.on("SIGUSR2", listener);
  return { end: () => void process.off("SIGUSR2", listener) };
}

/** Standard output as this command has it. Whoever reads it may leave first. */
function ownOutput(): Writable {
  const output = new Writable({
    write: (chunk, encoding, done) => asOwn(() => void process.stdout.write(chunk, encoding, done)),
  });
  output.on("error", (thrown) => {
    if (!nobodyReads(thrown)) tell(messageOf(thrown));
  });
  return output;
}

function tell(message: string): void {
  console.error(`haft: ${escapeInvisible(message)}`);
}

function tellPerson(): void {
  console.error(
    "haft: this speaks MCP with a program that starts it, and waits for one. To set a client up, see haft help serve; Ctrl-C ends it.",
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
