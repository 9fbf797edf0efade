import { messageOf, textOf } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { once } from "node:events";
import { connect } from "node:net";
import { processesIn, type FoundProcess } from "./processes-in.ts";

/** A server the agent started, as the demo itself met it. */
export interface SeenServer {
  port: number;
  /** What it answered to a question of the demo, or why it did not. */
  answer: string;
  /** Processes of the copy at that time. */
  processes: FoundProcess[] | undefined;
}

/** A question of the demo's own, about another month than the agent's. */
const QUESTION = "/?date=2028-01-31&terms=1+month";
export const RIGHT_ANSWER = "2028-02-29";
const PATIENCE_MS = 2_000;

/**
 * Asks the first server whose address a command prints, at once and behind the agent's back. What
 * it returns answers `undefined` when no command has printed one.
 */
export function watchForServer(
  session: Session,
  folder: string,
  onSeen: (server: SeenServer) => void,
): () => Promise<SeenServer | undefined> {
  let seen: Promise<SeenServer> | undefined;
  session.subscribe((event) => {
    if (seen || event.type !== "tool-end" || !["exec", "process"].includes(event.toolName)) return;
    const port = /\bhttp:\/\/127\.0\.0\.1:(\d+)/.exec(textOf(event.outcome.content))?.[1];
    if (port !== undefined) seen = meet(Number(port), folder, onSeen);
  });
  return async () => seen;
}

async function meet(port: number, folder: string, onSeen: (server: SeenServer) => void): Promise<SeenServer> {
  const processes = processesIn(folder);
  const answer = await ask(port).catch((thrown: unknown) => `no answer: ${messageOf(thrown)}`);
  const server = { port, answer, processes };
  onSeen(server);
  return server;
}

async function ask(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}${QUESTION}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  return (await response.text()).trim();
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
