import type { LookupAddress } from "node:dns";
import { connect, isIP, type Socket } from "node:net";

/** Opens a connection to one of these addresses, and to nothing else, in their order. */
export type Connect = (addresses: readonly string[], port: number) => Socket;

export const connectTo: Connect = (addresses, port) => {
  const all: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
  return connect({
    // Never looked up again: the function beside it answers.
    host: "checked.invalid",
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_host, options, found) => {
      if (options.all === true) found(null, all);
      else found(null, all[0]!.address, all[0]!.family);
    },
  });
};

/** Gives a connection up that has not come about after so many milliseconds. */
export function inTime(socket: Socket, ms: number): Socket {
  const late = setTimeout(() => socket.destroy(new Error("it did not answer in time")), ms);
  for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(late));
  return socket;
}
