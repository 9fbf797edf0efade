import { connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";

export interface Bridge {
  port: number;
  socket: string;
}

const MAX_CONNECTIONS = 256;

/** A failure costs a sandbox its network, not its runner. */
export function openBridges(bridges: readonly Bridge[], onFailed: (why: string) => void): void {
  for (const { port, socket } of bridges) {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inside) => {
      inside.on("error", () => {});
      const outside = connect({ path: socket, allowHalfOpen: true });
      outside.on("error", () => inside.destroy());
      outside.once("connect", () => {
        inside.resume();
        joinStreams(inside, outside);
      });
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on("error", (error) => onFailed(`There is no way out at port ${port}: ${error.message}`));
    server.listen({ port, host: "127.0.0.1" });
    server.unref();
  }
}

export function joinStreams(one: Socket, other: Socket): void {
  pipeline(one, other, () => {});
  pipeline(other, one, () => {});
}
