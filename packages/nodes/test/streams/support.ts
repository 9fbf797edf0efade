import { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import type { OpenedWorkspace, WorkspaceEnd } from "../../src/contract/workspace.ts";
import {
  createIdentity,
  createNode,
  type HaftNode,
  type KnownHost,
  memoryRecords,
  type MessageBus,
  type NodeWorkspace,
  type ServedNode,
} from "../../src/index.ts";
import { serveNodeWithTimes } from "../../src/link/serve-node.ts";
import type { TestHost, TestNode } from "../support/test-nodes.ts";

/** A workspace whose runner says what it is told, and what it was opened with. */
export interface EchoWorkspace {
  readonly workspace: NodeWorkspace;
  /** Those that are open now. */
  readonly open: Set<OpenedWorkspace>;
  /** How many were opened. */
  opened: number;
  /** Ends one as an accident would. */
  endAll(end: WorkspaceEnd): void;
}

/** @param before what an opening waits for */
export function echoWorkspace(before: (signal: AbortSignal) => unknown = () => undefined): EchoWorkspace {
  const losing = new Set<(end: WorkspaceEnd) => void>();
  const made: EchoWorkspace = {
    opened: 0,
    open: new Set(),
    endAll: (end) => losing.forEach((lose) => lose(end)),
    workspace: {
      name: "project",
      description: "A project.",
      access: "rw",
      network: "none",
      isolation: "host",
      async open(_request, signal) {
        made.opened += 1;
        await before(signal);
        const { promise: ended, resolve } = Promise.withResolvers<WorkspaceEnd>();
        const stream = echo();
        const over = (end: WorkspaceEnd) => {
          made.open.delete(opened);
          losing.delete(over);
          if (!stream.readableEnded && !stream.destroyed) stream.push(null);
          resolve(end);
        };
        losing.add(over);
        stream.once("end", () => over({ why: "its input ended" }));
        const opened: OpenedWorkspace = {
          stream,
          mounts: [{ name: "", path: "/workspace", access: "rw" }],
          ended,
          close: async () => {
            stream.destroy();
            over({ why: "it was closed" });
          },
        };
        made.open.add(opened);
        return opened;
      },
    },
  };
  return made;
}

/** Says all it is told, with as little room as a pipe has. */
function echo(): Duplex {
  let waiting: (() => void) | undefined;
  return new Duplex({
    read() {
      waiting?.();
      waiting = undefined;
    },
    write(chunk: Buffer, _encoding, done) {
      if (this.push(chunk)) done();
      else waiting = done;
    },
    final(done) {
      this.push(null);
      done();
    },
  });
}

/** So that nobody waits long for a host that is gone. */
const TIMES = { checkMs: 200, holdMs: 100 };

/** Serves workspaces as a node. */
export async function serveWorkspaces(
  bus: MessageBus,
  workspaces: readonly NodeWorkspace[],
  { identity = createIdentity(), hosts = memoryRecords<KnownHost>(), times = TIMES } = {},
): Promise<TestNode & { node: HaftNode; served: ServedNode }> {
  const node = createNode({ id: identity.id, name: "kitchen", commands: [], workspaces });
  const served = await serveNodeWithTimes(node, { bus, identity, hosts }, times);
  onTestFinished(() => served.close());
  return { identity, node, served, hosts };
}

/** Opens the workspace, and has an ear for its end. */
export async function openTestWorkspace(desk: TestHost, signal?: AbortSignal): Promise<OpenedWorkspace> {
  const target = desk.nodes.resolveWorkspace({});
  const one = await desk.nodes.openWorkspace({ target, ...(signal && { signal }) });
  one.stream.on("error", () => undefined);
  onTestFinished(() => one.close().catch(() => undefined));
  return one;
}

/** What comes back for these bytes. */
export async function readEcho({ stream }: OpenedWorkspace, bytes: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = (part: Buffer) => {
    parts.push(part);
    length += part.length;
    if (length >= bytes.length) resolve();
  };
  const lost = (why?: Error) => reject(why ?? new Error("it closed"));
  stream.on("data", take).once("error", reject).once("close", lost);
  stream.write(bytes);
  await promise.finally(() => stream.off("data", take).off("error", reject).off("close", lost));
  return Buffer.concat(parts);
}
