import { invalidOptions } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { sandboxError } from "../../errors.ts";
import { listenOn } from "./listen-on.ts";

export interface Forward {
  /** On 127.0.0.1 of the host, for all its users and browsers. */
  port: number;
  close: () => void;
}

export interface Forwards {
  /** Waits for the runner. @throws HaftError `NETWORK_UNAVAILABLE` without a runner, `INVALID_OPTIONS` for an invalid port */
  open: (port: number) => Promise<Forward>;
  close: () => void;
}

const MAX_CONNECTIONS = 64;
const PATIENCE_MS = 30_000;
const WAITING = "waiting";
const MAX_LINE = 64;

/** The view's runner opens the connections, so this process follows no path of commands. @throws HaftError `NETWORK_UNAVAILABLE` */
export async function openForwards(path: string, patienceMs = PATIENCE_MS): Promise<Forwards> {
  const open = new Map<Socket, Server>();
  const servers = new Set<Server>();
  const wanted = new Map<string, { outside: Socket; take: (inside: Socket) => void }>();
  let runner: Socket | undefined;
  let arrival = Promise.withResolvers<void>();
  const hold = (socket: Socket, by: Server): void => {
    open.set(socket, by);
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    hold(inside, server);
    firstLine(inside, (line) => {
      const request = wanted.get(line);
      wanted.delete(line);
      if (request !== undefined) request.take(inside);
      else if (line === WAITING && runner === undefined) {
        runner = inside;
        arrival.resolve();
        inside.unref();
        // If the runner of a view has ended, the next view has another one.
        inside.resume().once("end", () => inside.destroy());
        inside.once("close", () => {
          runner = undefined;
          arrival = Promise.withResolvers();
          for (const { outside } of wanted.values()) outside.destroy();
        });
      } else inside.destroy();
    });
  });
  // The runner, its connections, and as many strangers.
  server.maxConnections = 2 * MAX_CONNECTIONS + 1;
  await listenOn(server, path);

  function lead(outside: Socket, port: number, by: Server): void {
    hold(outside, by);
    if (runner === undefined) return void outside.destroy();
    const key = randomBytes(16).toString("hex");
    const tooLate = setTimeout(() => outside.destroy(), PATIENCE_MS);
    outside.once("close", () => {
      clearTimeout(tooLate);
      wanted.delete(key);
    });
    const take = (inside: Socket): void => {
      clearTimeout(tooLate);
      pipeline(outside, inside, () => {});
      pipeline(inside, outside, () => {});
    };
    wanted.set(key, { outside, take });
    runner.write(`${JSON.stringify({ port, key })}\n`);
  }

  return {
    open: async (port) => {
      if (!Number.isInteger(port) || port < 1 || port > 65_535) {
        const fix = "Use a number from 1 to 65535.";
        throw invalidOptions(`${port} is not a valid port.`, fix);
      }
      if (runner === undefined) await withTimeout(arrival.promise, patienceMs);
      if (runner === undefined) {
        const message = `Port ${port} of the contained commands cannot be reached: no command runs there any more, or yet.`;
        throw sandboxError("NETWORK_UNAVAILABLE", message, { fix: "Start the server there first." });
      }
      const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (outside) =>
        lead(outside, port, listener),
      );
      listener.maxConnections = MAX_CONNECTIONS;
      await new Promise<void>((resolve, reject) => {
        listener.once("error", reject);
        listener.listen(0, "127.0.0.1", resolve);
      });
      listener.unref();
      servers.add(listener);
      return {
        port: (listener.address() as AddressInfo).port,
        close: () => {
          servers.delete(listener);
          listener.close();
          for (const [socket, by] of open) if (by === listener) socket.destroy();
        },
      };
    },
    close: () => {
      for (const one of [server, ...servers]) one.close();
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

function firstLine(socket: Socket, take: (line: string) => void): void {
  const tooLate = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once("close", () => clearTimeout(tooLate));
  let line = Buffer.alloc(0);
  const read = (bytes: Buffer): void => {
    line = Buffer.concat([line, bytes]);
    const end = line.indexOf("\n");
    if (end < 0 && line.length <= MAX_LINE) return;
    socket.off("data", read);
    socket.pause();
    clearTimeout(tooLate);
    if (end < 0 || end > MAX_LINE) return void socket.destroy();
    if (line.length > end + 1) socket.unshift(line.subarray(end + 1));
    take(line.toString("latin1", 0, end));
  };
  socket.on("data", read);
}
