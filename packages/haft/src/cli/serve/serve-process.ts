import { messageOf } from "@haft/core";
import type { ServeOptions, SessionSource } from "@haft/mcp";
import { Writable } from "node:stream";
import { configurationOf } from "../../host/configured-options.ts";
import { createHost, type Host } from "../../host/host.ts";
import { asOwn, holdStdout } from "../../plugins/hold-stdout.ts";
import { removeLeft } from "../../serve/remove-left.ts";
import { abortedBySignal, untilSignal } from "../call/until-signal.ts";
import type { PageBeside } from "../inspect/inspect-beside.ts";
import { nobodyReads } from "../nobody-reads.ts";
import { readSessionValues, type SessionValues } from "../session-arguments.ts";
import { holdUncaught } from "../uncaught/hold-uncaught.ts";
import { pageBeside, reloadOnSignal, servedOptions, sourceOf, logServed } from "./served-host.ts";

/** Serves whoever started this process. @param page with a page beside it; `act`: that decides */
export async function serveProcess(values: SessionValues, page?: string): Promise<number> {
  holdUncaught();
  const until = untilSignal();
  // Messages alone go there, whatever tools print.
  const release = holdStdout();
  if (process.stdin.isTTY) tellPerson();
  const opening = openSource(values);
  let host: Host | undefined;
  let beside: PageBeside | undefined;
  try {
    const { serveStdio } = await import("@haft/mcp");
    const source = opening.then((opened) => opened.source);
    const served = await serveStdio(source, { output: ownOutput(), onProblem: logServed });
    ({ host } = await opening);
    beside = await pageBeside(host, page, await opening);
    const reload = reloadOnSignal(
      () => [host!],
      () => served.toolsChanged(),
    );
    await Promise.race([served.ended, abortedBySignal(until.signal)]);
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
  const [host, configuration] = await Promise.all([createHost(servedOptions(given)), configurationOf(given)]);
  removeLeft(given.stateDir);
  const { approvals, structured } = configuration?.trusted?.config.serve ?? {};
  const options: ServeOptions = { ...(approvals && { approvals }), ...(structured && { structured }) };
  return { host, stateDir: given.stateDir, source: { ...sourceOf(host, session), options } };
}

/** Standard output as this command has it. Whoever reads it may leave first. */
function ownOutput(): Writable {
  const output = new Writable({
    write: (chunk, encoding, done) => asOwn(() => void process.stdout.write(chunk, encoding, done)),
  });
  output.on("error", (thrown) => {
    if (!nobodyReads(thrown)) logServed(messageOf(thrown));
  });
  return output;
}

function tellPerson(): void {
  console.error(
    "haft: this speaks MCP with a program that starts it, and waits for one. haft help serve says more; Ctrl-C ends it.",
  );
}
