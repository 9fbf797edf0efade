import type { LookupAddress } from "node:dns";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { workspaceError } from "../errors.ts";
import type { Target } from "./opened-places.ts";

export type Connect = (target: Target, signal: AbortSignal) => Promise<Duplex>;

/** Milliseconds until a host has answered the connection. */
export const CONNECT_MS = 30_000;

/**
 * Connects from this process, to one of these addresses and to nothing else, in their order.
 *
 * @throws HaftError `FETCH_FAILED`
 */
export function connectHere(
  addresses: readonly string[],
  { host, port }: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
  return new Promise((resolve, reject) => {
    const socket = connect({
      // Never looked up again: the function beside it answers.
      host: "checked.invalid",
      port,
      autoSelectFamily: true,
      noDelay: true,
      lookup: (_host, options, found) => {
        if (options.all === true) found(null, all);
        else found(null, all[0]!.address, all[0]!.family);
      },
    });
    const giveUp = (): void => void socket.destroy(new Error("it was aborted"));
    const late = setTimeout(() => socket.destroy(new Error("it did not answer in time")), CONNECT_MS);
    const settle = (): void => {
      clearTimeout(late);
      signal.removeEventListener("abort", giveUp);
    };
    socket.once("connect", () => {
      settle();
      // What happens to it from now on is told to whoever reads it.
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      settle();
      reject(notReached({ host, port }, error.code ?? error.message, error));
    });
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

export function notReached({ host, port }: Target, why: string, cause?: unknown): Error {
  return workspaceError("FETCH_FAILED", `${host} was not reached at port ${port}: ${why}.`, {
    cause,
    receipt: "none",
  });
}
