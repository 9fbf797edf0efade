import { chmodSync } from "node:fs";
import type { Server } from "node:net";
import { sandboxError } from "../../errors.ts";

/** Sockets have shorter paths than files, in bytes. */
const LONGEST_PATH = 107;

/**
 * Listens on a unix socket that only this user can use, and does not keep this program running by it.
 *
 * @throws HaftError `NETWORK_UNAVAILABLE`
 */
export async function listenOn(server: Server, path: string): Promise<void> {
  const failed = (why: string, fix?: string, cause?: Error): Error =>
    sandboxError("NETWORK_UNAVAILABLE", `The network of contained commands was not set up: ${why}.`, {
      ...(fix === undefined ? {} : { fix }),
      cause,
    });
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    const why = `the path of a socket has at most ${LONGEST_PATH} bytes, and ${JSON.stringify(path)} has more`;
    throw failed(why, "Use a folder with a shorter path for the state of Haft.");
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        failed(
          `its socket ${JSON.stringify(path)} cannot be made (${error.code ?? error.message})`,
          undefined,
          error,
        ),
      ),
    );
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  server.unref();
}
