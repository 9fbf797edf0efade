// The node of the demo as a process of its own, with the server it is met on. Arguments: nats-server, the folder of the node. It
// takes the host whose code it is told, by a line of standard input, and ends with that input.
import { createIdentity, type KnownHost, memoryRecords, serveNode } from "@haft/nodes";
import { openNatsBus } from "@haft/nodes/nats";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createDemoNode } from "./demo-node.ts";

const [program = "", folder = ""] = process.argv.slice(2);
const tell = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

const server = spawn(program, ["--addr", "127.0.0.1", "--port", "-1"], {
  cwd: folder,
  stdio: ["ignore", "ignore", "pipe"],
});
server.once("error", ({ message }) => fail(message));
process.on("exit", () => server.kill("SIGKILL"));
const url = `nats://127.0.0.1:${await portOf(server)}`;
// It may say as much as it likes.
server.stderr.resume();

const identity = createIdentity();
const node = createDemoNode(identity.id, folder);
const hosts = memoryRecords<KnownHost>();
const served = await serveNode(node, { bus: await openNatsBus({ servers: url }), identity, hosts });
const ended = new AbortController();
const pairing = served.pair(ended.signal);
pairing.catch(() => undefined);
const input = createInterface({ input: process.stdin });
input.once("line", (code) => void decide(code));
input.once("close", () => void end());
tell({ id: identity.id, url });

async function decide(code: string): Promise<void> {
  const request = await pairing;
  const paired = code === request.code;
  if (paired) request.accept();
  else request.refuse();
  tell({ code: request.code, paired });
}

async function end(): Promise<void> {
  ended.abort();
  await node.close();
  await served.close();
  process.exit();
}

/** As its log says. */
async function portOf({ stderr }: typeof server): Promise<string> {
  let log = "";
  for await (const line of createInterface({ input: stderr })) {
    const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return port;
    log += `${line}\n`;
  }
  return fail(`it ended: ${log.trim()}`);
}

function fail(why: string): never {
  process.stderr.write(`The nats-server of the node did not start: ${why}\n`);
  process.exit(1);
}
