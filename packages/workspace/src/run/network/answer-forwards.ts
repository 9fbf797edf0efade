import { connect, type Socket } from "node:net";
import { joinStreams } from "./bridges.ts";

interface Wanted {
  port: number;
  key: string;
}

const WAITING = "waiting";
const HERE = ["127.0.0.1", "::1"];
const MAX_LINE = 256;
const RETRY_MS = 250;

/**
 * Connects ports of this loopback to a unix socket of the host. Only the host writes to the waiting connection.
 * The host takes one runner at a time, so a runner that starts before the last one ended tries again.
 */
export function answerForwards(socket: string, onFailed: (why: string) => void): void {
  const waiting = connect({ path: socket });
  waiting.unref();
  let isConnected = false;
  waiting.on("connect", () => (isConnected = true));
  waiting.on("error", (error) => {
    if (!isConnected) onFailed(`Ports here cannot be reached from the host: ${error.message}`);
  });
  waiting.on("close", () => {
    if (isConnected) setTimeout(answerForwards, RETRY_MS, socket, onFailed).unref();
  });
  waiting.write(`${WAITING}\n`);
  let line = "";
  waiting.setEncoding("latin1").on("data", (text: string) => {
    line += text;
    for (let end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
      const { port, key } = JSON.parse(line.slice(0, end)) as Wanted;
      line = line.slice(end + 1);
      void forward(port, key, socket);
    }
    if (line.length > MAX_LINE) waiting.destroy();
  });
}

async function forward(port: number, key: string, path: string): Promise<void> {
  const outside = connect({ path, allowHalfOpen: true });
  outside.on("error", () => {});
  outside.write(`${key}\n`);
  const inside = await firstThatAnswers(port);
  // The host sees the connection end.
  if (inside === undefined) return void outside.destroy();
  joinStreams(inside, outside);
}

/** Development servers listen on either loopback. */
async function firstThatAnswers(port: number): Promise<Socket | undefined> {
  for (const host of HERE) {
    const socket = connect({ port, host, allowHalfOpen: true });
    const answers = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.on("error", () => resolve(false));
    });
    if (answers) return socket;
  }
  return undefined;
}
