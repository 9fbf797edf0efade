// A node in a process of its own, which offers a folder through a real runner beside it. Arguments: server, seed, host id, folder,
// milliseconds between two looks whether a host is there.
import { RUNNER_FLAGS, runnerProgram } from "@haft/workspace/internal/wire";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Duplex } from "node:stream";
import {
  createIdentity,
  createNode,
  type KnownHost,
  memoryRecords,
  type NodeWorkspace,
} from "../../../src/index.ts";
import { serveNodeWithTimes } from "../../../src/link/serve-node.ts";
import { openNatsBus } from "../../../src/nats/index.ts";

const [servers = "", seed, host = "", folder = "", checkMs = "5000"] = process.argv.slice(2);

const project: NodeWorkspace = {
  name: "project",
  description: "A folder of this machine.",
  access: "rw",
  network: "none",
  isolation: "host",
  async open() {
    const { path } = await runnerProgram();
    const child = spawn(process.execPath, [...RUNNER_FLAGS, path], {
      cwd: "/",
      env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"] },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit").then(([code]) => ({ why: `its runner ended with exit code ${code}` }));
    const both = { writable: child.stdin, readable: child.stdout };
    const stream = Duplex.from(both as unknown as NodeJS.ReadableStream);
    const close = async () => {
      child.stdin.end();
      await ended;
    };
    return { stream, mounts: [{ name: "", path: folder, access: "rw" }], ended, close };
  },
};

const identity = createIdentity(seed);
const hosts = memoryRecords<KnownHost>();
hosts.write(host, { name: "test", pairedAt: 1 });
const node = createNode({ id: identity.id, name: "worker", commands: [], workspaces: [project] });
const times = { checkMs: Number(checkMs), holdMs: 500 };
await serveNodeWithTimes(node, { bus: await openNatsBus({ servers }), identity, hosts }, times);
process.stdout.write("ready\n");
