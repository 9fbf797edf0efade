import { connectRunner } from "@haft/workspace/internal/wire";
import type { SandboxProbe, SandboxSpec } from "../backend.ts";
import { probed, probeSpec, unavailable } from "../launch/probing.ts";
import type { OpenedHere } from "../launch/tethered-backend.ts";
import { ID } from "./requirements.ts";

/** What a sandbox turned out to be, for the probe. */
export interface OpenedRuntime extends OpenedHere {
  node: string;
  version: string;
}

/** For Node inside: says `held`, or what does not hold. Asks for a host that is on no list, and around the proxy. */
const CHECK = `
const net = require("net");
const say = (text) => { console.log(text); process.exit(); };
const { hostname, port, username, password } = new URL(process.env.HTTP_PROXY ?? say("there is no proxy"));
const auth = Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64");
const direct = net.connect({ host: "192.0.2.1", port: 9, timeout: 1000 });
direct.on("connect", () => say("there is a way around the proxy")).on("error", () => {});
let answer = "";
net.connect({ host: hostname, port }, function () {
  this.setTimeout(10000, () => say("its proxy does not answer: nothing for 10 seconds"));
  this.write(["GET http://not-on-the-list.invalid/ HTTP/1.1", "Host: not-on-the-list.invalid",
    "Proxy-Authorization: Basic " + auth, "Connection: close", "", ""].join("\\r\\n"));
}).on("data", (bytes) => {
  const [line, ...more] = (answer += bytes).split("\\r\\n");
  if (more.length > 0)
    say(line.split(" ")[1] === "403" ? "held" : "a host that is on no list was answered with " + line);
}).on("end", () => say("its proxy does not answer: it hung up"))
  .on("error", ({ message }) => say("its proxy does not answer: " + message));`;

/** Opens a sandbox with a list of one host, and looks whether the list holds. Never throws but when cancelled. */
export async function probeRuntime(
  open: (spec: SandboxSpec) => Promise<OpenedRuntime>,
  signal?: AbortSignal,
): Promise<SandboxProbe> {
  let opened: OpenedRuntime | undefined;
  try {
    const begin = performance.now();
    opened = await open(probeSpec({}, { network: { allow: ["localhost"] } }));
    const { connection, node } = opened;
    const { stream, mounts, inherit } = connection;
    const runner = await connectRunner(stream, { mounts, inherit: inherit!, spareShell: false }, signal);
    const startMs = Math.round(performance.now() - begin);
    const ran = await runner.processes.start(
      "probe",
      {
        argv: [node, "-e", CHECK],
        cwd: mounts[0]!.path,
        env: { ...runner.env },
        timeoutMs: 15_000,
      },
      { waitMs: 20_000 },
    );
    const { chunks } = await runner.processes.read(ran.id, 0, { waitMs: 1000 });
    const said = Buffer.concat(chunks.map(({ bytes }) => bytes))
      .toString()
      .trim();
    return probed(
      said,
      { backend: ID, details: describe(opened), startMs },
      "Report this with the version of the package, and use the bubblewrap or Docker backend meanwhile.",
    );
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    return unavailable(ID, thrown, {});
  } finally {
    await opened?.connection.close();
  }
}

function describe({ version, holds, filtered, guarded }: OpenedRuntime): Record<string, string> {
  const linux = process.platform === "linux";
  const group = (name: "memory" | "pids") =>
    holds.has(name) ? "holds (control group)" : "holds for each process by itself";
  return {
    package: version,
    isolation: linux ? "user, mount, pid and network namespaces by bubblewrap" : "sandbox-exec",
    network: "a list of hosts, held by proxies outside, or none",
    "system calls": filtered ? "sockets of this machine and new namespaces are refused" : "not filtered",
    runner: guarded ? "closed to commands" : "open to commands of the same user",
    folders: "where they are on the host; names of folders at its root can be seen",
    "limit memoryMb": group("memory"),
    "limit tasks": group("pids"),
    "limit cpus": holds.has("cpu") ? "holds (control group)" : "does not hold",
    "limit fileMb": "holds (RLIMIT_FSIZE)",
    "limit tmpMb": "does not hold: temporary files are on the disk of the host",
    lifetime: "tethered",
  };
}
