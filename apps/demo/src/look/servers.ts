import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

const PATIENCE_MS = 2_000;

/** A server of this machine, which nobody in a sandbox or a view is to reach. */
export interface Trap extends AsyncDisposable {
  /** A command that asks it, and prints what it answers. */
  readonly command: string;
  /** How often somebody has asked it. */
  visitors(): number;
  /** It can be reached from here: otherwise it would prove nothing. */
  isReachable(): Promise<boolean>;
}

export const TRAP_ANSWER = "nobody in the sandbox reads this";

export async function openTrap(): Promise<Trap> {
  let visitors = 0;
  const server = createServer((_request, response) => {
    visitors += 1;
    response.end(TRAP_ANSWER);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    command: `node -e 'fetch("${url}").then((r) => r.text(), (e) => e.cause.message).then(console.log)'`,
    visitors: () => visitors,
    isReachable: async () => (await (await fetch(url)).text()) === TRAP_ANSWER,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Nobody listens there. */
export async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(PATIENCE_MS) });
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}
