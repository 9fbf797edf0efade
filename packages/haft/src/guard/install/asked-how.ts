import { join } from "node:path";
import { namedStateFolder } from "../../boundary/named-state-folder.ts";
import { clientsFolder, guardedClients, isStill } from "../clients/client-records.ts";
import { lookAtProcess } from "../clients/look-at-process.ts";

/**
 * How agents that have a module of the guard are asked: sentences, with what is known of those that run now. Which runtime an agent
 * has is not seen from outside.
 *
 * @param env of the module: where it has Haft look
 */
export function askedHow(agent: string, env: Readonly<Record<string, string>>): string[] {
  const { HAFT_STATE_DIR: own, XDG_STATE_HOME: xdg } = env;
  const state = own ?? (xdg === undefined ? namedStateFolder().path : join(xdg, "haft"));
  const running = guardedClients(clientsFolder(state)).filter(
    (client) => client.agent === agent && isStill(client, lookAtProcess),
  );
  return [
    "It decides in a thread of the agent; where its runtime is older than Node 22.18 or Bun 1.3, by a process for each call.",
    ...running.map(({ pid, isInside }) =>
      isInside ? `Process ${pid} decides by itself.` : `Process ${pid} starts one for each call.`,
    ),
  ];
}
