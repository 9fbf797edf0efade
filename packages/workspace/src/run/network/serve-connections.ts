import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import type { Answer } from "../server.ts";

const MAX_CONNECTIONS = 128;
const CONNECT_MS = 30_000;
const IDLE_MS = 10 * 60_000;

interface Connection {
  socket: Socket;
  hasEnded: boolean;
  failed: Error | undefined;
}

/** The host checks the addresses. */
export function serveConnections(): (
  op: string,
  args: unknown[],
  body: Uint8Array,
  signal: AbortSignal,
) => Promise<Answer> {
  const open = new Map<number, Connection>();
  let count = 0;
  const find = (id: unknown): Connection => {
    const found = open.get(id as number);
    if (found === undefined) throw new Error("there is no such connection");
    return found;
  };
  return async (op, args, body, signal) => {
    const [first, second] = args;
    switch (op) {
      case "net.lookup":
        return just((await lookup(first as string, { all: true })).map(({ address }) => address));
      case "net.connect": {
        if (open.size >= MAX_CONNECTIONS) throw new Error("there are too many connections");
        const connection = await connected(first as string, second as number, signal);
        const id = ++count;
        open.set(id, connection);
        connection.socket.setTimeout(IDLE_MS, () => connection.socket.destroy());
        return just(id);
      }
      case "net.read":
        return read(find(first), second as number, signal);
      case "net.write":
        return just(await write(find(first), body, second as number, signal));
      case "net.end":
        find(first).socket.end();
        return just(null);
      case "net.close":
        open.get(first as number)?.socket.destroy();
        open.delete(first as number);
        return just(null);
      default:
        throw new Error(`there is no operation ${JSON.stringify(op)}`);
    }
  };
}

async function connected(address: string, port: number, signal: AbortSignal): Promise<Connection> {
  // The host has checked an address, not a name.
  if (isIP(address) === 0) throw new Error("not an address");
  const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
  const connection: Connection = { socket, hasEnded: false, failed: undefined };
  socket.on("error", (error) => (connection.failed = error));
  socket.once("end", () => (connection.hasEnded = true));
  await happens(socket, ["connect"], CONNECT_MS, signal);
  if (socket.connecting || socket.destroyed) {
    socket.destroy();
    throw connection.failed ?? new Error("it did not answer in time");
  }
  return connection;
}

async function read(connection: Connection, waitMs: number, signal: AbortSignal): Promise<Answer> {
  const { socket } = connection;
  let part = socket.read() as Buffer | null;
  if (part === null && !isOver(connection)) {
    await happens(socket, ["readable", "end"], waitMs, signal);
    part = socket.read() as Buffer | null;
  }
  const ended = part === null && isOver(connection);
  if (ended && connection.failed !== undefined) throw connection.failed;
  return { value: { ended }, bodies: part === null ? [] : [part] };
}

async function write(
  connection: Connection,
  bytes: Uint8Array,
  waitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { socket, failed } = connection;
  if (failed !== undefined) throw failed;
  if (bytes.length > 0) socket.write(bytes);
  if (socket.writableNeedDrain) await happens(socket, ["drain"], waitMs, signal);
  return !socket.writableNeedDrain;
}

function isOver({ socket, hasEnded }: Connection): boolean {
  return hasEnded || socket.destroyed;
}

function happens(socket: Socket, events: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const all = [...events, "close"];
    const done = (): void => {
      clearTimeout(late);
      signal.removeEventListener("abort", done);
      for (const event of all) socket.off(event, done);
      resolve();
    };
    const late = setTimeout(done, ms);
    for (const event of all) socket.once(event, done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted || socket.destroyed) done();
  });
}

function just(value: unknown): Answer {
  return { value, bodies: [] };
}
