import { getErrorMessage } from "@haft/core";
import { createHost, type Host } from "@haft/host";
import { findHostConfiguration } from "@haft/host/internal/host";
import type { ServeOptions, SessionSource } from "@haft/mcp";
import { bypassCapture, captureStdout } from "@haft/plugin-loader/internal/plugins";
import { Writable } from "node:stream";
import { waitForAbort, listenForSignals } from "../call/signal-listener.ts";
import type { InspectorPage } from "../inspect/serve-inspector-page.ts";
import { isBrokenPipe } from "../is-broken-pipe.ts";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { removeStaleFiles } from "./remove-stale-files.ts";
import {
  openInspectorPage,
  reloadOnSignal,
  toServedOptions,
  createSessionSource,
  logServed,
} from "./served-host.ts";

/** @param page the inspector page's role */
export async function serveProcess(values: SessionValues, page?: string): Promise<number> {
  const until = listenForSignals();
  const release = captureStdout();
  if (process.stdin.isTTY) informPerson();
  const opening = openSource(values);
  let host: Host | undefined;
  let beside: InspectorPage | undefined;
  try {
    const { serveStdio } = await import("@haft/mcp");
    const source = opening.then((opened) => opened.source);
    const served = await serveStdio(source, { output: bypassOutput(), onProblem: logServed });
    ({ host } = await opening);
    beside = await openInspectorPage(host, page, await opening);
    const reload = reloadOnSignal(
      () => [host!],
      () => served.toolsChanged(),
    );
    await Promise.race([served.ended, waitForAbort(until.signal)]);
    reload.end();
    await served.close();
    return until.code() ?? 0;
  } finally {
    await beside?.close();
    host ??= (await opening.catch(() => undefined))?.host;
    await host?.close();
    release();
    until.end();
    process.stdin.destroy();
  }
}

interface Opened {
  host: Host;
  source: SessionSource;
  stateDir: string | false | undefined;
}

async function openSource(values: SessionValues): Promise<Opened> {
  const { host: given, session } = await readSessionValues(values);
  const [host, configuration] = await Promise.all([
    createHost(toServedOptions(given)),
    findHostConfiguration(given),
  ]);
  removeStaleFiles(given.stateDir);
  const { approvals, structured } = configuration?.trusted?.config.serve ?? {};
  const options: ServeOptions = { ...(approvals && { approvals }), ...(structured && { structured }) };
  return { host, stateDir: given.stateDir, source: { ...createSessionSource(host, session), options } };
}

function bypassOutput(): Writable {
  const output = new Writable({
    write: (chunk, encoding, done) => bypassCapture(() => void process.stdout.write(chunk, encoding, done)),
  });
  output.on("error", (thrown) => {
    if (!isBrokenPipe(thrown)) logServed(getErrorMessage(thrown));
  });
  return output;
}

function informPerson(): void {
  console.error(
    "haft: this command speaks MCP with the program that starts it, and waits for messages. See haft help serve; Ctrl-C ends it.",
  );
}
