import { RUNNER_FLAGS } from "@haft/workspace/internal/wire";
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { runnerFile } from "../../../../../test/support/build-under-test.ts";
import { compileCache } from "../../../../../test/support/compile-cache.ts";
import type { NetworkOptions, ViewNetwork } from "../../../src/view/network/open-network.ts";
import { openNetwork } from "../../../src/view/network/open-network.ts";
import { eventually, tempFolder } from "../../support.ts";

/** What is public, as addresses go, and belongs to nobody: documents use it. */
const SOMEWHERE = "198.51.100.7";

/** Names of the tests' internet. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "packages.example.com": [SOMEWHERE],
  "other.example.com": [SOMEWHERE],
  "inner.example.com": ["10.1.2.3"],
  "both.example.com": ["10.1.2.3", SOMEWHERE],
  "metadata.example.com": ["169.254.169.254"],
  "mapped.example.com": ["::ffff:127.0.0.1"],
  "loop.example.com": ["127.0.0.1"],
  "zero.example.com": ["0.0.0.0"],
};

/** A server of the tests' internet: wherever a connection is to lead, it leads here, and what it was to lead to is kept. */
export async function startTestInternet(listener: RequestListener = hello) {
  const received: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const connected: string[] = [];
  const record = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    received.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    listener(request, response);
  };
  const server = createServer((request, response) => void record(request, response));
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const lookedUp: string[] = [];
  const options = {
    lookup: async (host: string) => {
      lookedUp.push(host);
      const found = NAMES[host];
      if (found === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    connect: (addresses: readonly string[], at: number) => {
      connected.push(`${addresses.join(",")} ${at}`);
      return connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    },
  };
  return { received, connected, lookedUp, port, server, options };
}

const hello: RequestListener = (request, response) =>
  void response.end(`hello from ${request.headers.host}\n`);

/** A network that ends with the test. */
export async function openTestNetwork(options: Partial<NetworkOptions> = {}): Promise<ViewNetwork> {
  const network = await openNetwork({ folder: tempFolder("n"), allows: () => false, ...options });
  onTestFinished(network.close);
  return network;
}

/** Only this one is on the list. */
export const allowsPackages = (host: string): boolean => host === "packages.example.com";

/** Sends bytes as they are to the proxy; answers all it says until it ends. */
export async function exchangeBytes(network: ViewNetwork, bytes: string | Buffer): Promise<string> {
  const socket = connect(network.runnerOptions(network.folder).bridges[0]!.socket);
  socket.on("error", () => {});
  socket.write(bytes);
  return text(socket).catch(() => "");
}

/** However it came about. */
export async function closed(socket: Socket): Promise<true> {
  socket.on("error", () => {}).resume();
  if (!socket.closed) await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return true;
}

/** Starts the runner, with what Node kept of its code; waits for its port, and runs a script beside it. */
const START = `
exec 3<&0
env NODE_COMPILE_CACHE="$4" "$0" ${RUNNER_FLAGS.join(" ")} "$1" "$2" <&3 >/dev/null &
until (exec 4<>/dev/tcp/127.0.0.1/3128) 2>/dev/null; do sleep 0.02; done
exec bash -c "$3" </dev/null 3<&-`;

/**
 * Runs a script in namespaces that have no network, beside the real runner with the options of this network. Answers both
 * outputs, in one.
 */
export function startInView(network: ViewNetwork, script: string, cwd = tempFolder("v")) {
  const { folder, environment } = network;
  const options = {
    runId: "test",
    folder: tempFolder("r"),
    spareShell: false,
    listPids: false,
    maxRunning: 4,
    programs: {},
    ...network.runnerOptions(folder),
  };
  const child = spawn(
    "bwrap",
    [
      ..."--unshare-user --unshare-net --unshare-pid --die-with-parent --dev-bind / / --proc /proc --ro-bind".split(
        " ",
      ),
      folder,
      folder,
      "--chdir",
      cwd,
      "--",
      "bash",
      "-c",
      START,
      process.execPath,
      runnerFile,
      JSON.stringify(options),
      script,
      compileCache,
    ],
    {
      env: { PATH: process.env["PATH"], HOME: cwd, LANG: "C.UTF-8", ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const ended = new Promise<string>((resolve) => child.once("close", () => resolve(output)));
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    ended,
    output: () => output,
    said: (what: string) => eventually(() => output.includes(what)),
  };
}

export async function runInView(network: ViewNetwork, script: string, cwd?: string): Promise<string> {
  return startInView(network, script, cwd).ended;
}
