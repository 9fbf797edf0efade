import { chmodSync } from "node:fs";
import type { Server } from "node:net";
import { networkUnavailableError } from "./network-unavailable-error.ts";

/** For socket paths, in bytes. */
const LONGEST_PATH = 107;

/** Private, and without keeping this process running. */
export async function listenOn(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    const why = `the path of a socket has at most ${LONGEST_PATH} bytes, and ${JSON.stringify(path)} has more`;
    const fix = "Use a folder with a shorter path for the state of Haft.";
    throw networkUnavailableError(why, { fix });
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = `its socket ${JSON.stringify(path)} cannot be created (${cause.code ?? cause.message})`;
      reject(networkUnavailableError(why, { cause }));
    });
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  server.unref();
}
