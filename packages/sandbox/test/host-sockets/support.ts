import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempFolder } from "../support.ts";

/** A server of the host on a socket for everybody, that counts who comes. */
export async function startServer(path: string) {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.end("reached\n");
  }).listen(path);
  await once(server, "listening");
  chmodSync(path, 0o777);
  const close = async (): Promise<void> => void (await new Promise((resolve) => server.close(resolve)));
  onTestFinished(close);
  return { connections: () => connections, close };
}

/** The same under another name than it was made with: no list says where it is. */
export async function startMovedServer(path: string) {
  const made = join(tempFolder("made"), "s");
  const server = await startServer(made);
  renameSync(made, path);
  return server;
}

/** Somebody of the host who reads a FIFO; answers what was written to it so far. */
export function startReader(path: string): () => string {
  execFileSync("mkfifo", ["-m", "666", path]);
  const log = join(tempFolder("log"), "log");
  const reader = spawn("sh", ["-c", 'exec 3<>"$1"; exec cat <&3 >>"$2"', "sh", path, log], {
    stdio: "ignore",
  });
  onTestFinished(() => void reader.kill("SIGKILL"));
  return () => {
    try {
      return readFileSync(log, "utf8");
    } catch {
      return "";
    }
  };
}

/** Script: what is behind these? A word for each, and whether it can be removed. */
export const connectOnce = (...paths: string[]): string =>
  paths
    .map(
      (path) => `
if [ -p '${path}' ]; then echo "FIFO"; elif [ -S '${path}' ]; then echo "socket"; else echo "nothing"; fi
{ echo hello >'${path}'; } 2>/dev/null
python3 -c 'import socket,sys
s=socket.socket(socket.AF_UNIX)
try: s.connect(sys.argv[1]); print(s.recv(9).decode().strip())
except OSError as e: pass' '${path}'`,
    )
    .join("\n");
