import { HaftError, type ToolOutcome } from "@haft/core";
import type { HostProcess } from "./processes.ts";
import type { Scene, Station } from "./story.ts";

/** Milliseconds after which somebody who is not answered goes elsewhere. */
const PATIENCE_MS = 80_000;
/** Times that a call is delivered. */
const TRIES = 2;

/** Somebody who talks to one session, at whichever host there is. */
export async function useSession(scene: Scene, session: string, most: number): Promise<void> {
  const { world, invariants, nodes } = scene;
  const pause = (from: number, to: number) =>
    new Promise<void>((resolve) => world.schedule(world.between(from, to), resolve));
  let at: Station<HostProcess> | undefined;
  /** A host that did not help last time. */
  let away: Station<HostProcess> | undefined;
  const calls = 1 + Math.floor(world.random() * most);
  // Two windows on one conversation.
  if (world.chance(0.2)) void elsewhere();
  for (let call = 0; call < calls; call++) {
    const known = invariants.recordRequest(`${session}-${call}`, session);
    const args = argumentsOf(known.id);
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) invariants.recordRequest(known.id, session);
      at = await move(at);
      const outcome = await deliver(at, known.id, args);
      if (outcome !== undefined) invariants.recordAnswer(known, outcome);
      else invariants.count("not answered");
      if (outcome === undefined || isTrouble(outcome)) away = at;
      // What was answered from the ledger is answered from it once.
      if (outcome?.replayed === true || (outcome !== undefined && !world.chance(0.1))) break;
      await pause(10, outcome === undefined ? 20_000 : 3_000);
    }
    await pause(100, 8_000);
  }
  if (at?.isThere === true && world.chance(0.9)) await leave(at);

  function argumentsOf(call: string): object {
    const ms = world.chance(0.9) ? world.between(1, 800) : world.between(800, 30_000);
    const params = { call, ms: Math.floor(ms), stops: world.chance(0.5) };
    const timeoutMs = world.chance(0.8) ? 60_000 : Math.floor(world.between(300, 5_000));
    return { node: world.pick(nodes).name, command: "work.do", params, timeoutMs };
  }

  async function elsewhere(): Promise<void> {
    const known = invariants.recordRequest(`${session}-elsewhere`, session);
    const outcome = await deliver(world.pick(scene.hosts), known.id, argumentsOf(known.id));
    if (outcome !== undefined) invariants.recordAnswer(known, outcome);
  }

  /** Where the session was, or another host, which the first is told of, if it can be told. */
  async function move(from: typeof at): Promise<Station<HostProcess>> {
    const there = scene.hosts.filter(({ isThere }) => isThere);
    if (there.length === 0) {
      await pause(1_000, 10_000);
      return await move(from);
    }
    const stays = from?.isThere === true && from !== away && world.chance(0.7);
    const to = stays ? from : world.pick(there);
    if (from !== undefined && to !== from && from.isThere && world.chance(0.95)) await leave(from);
    return to;
  }

  async function leave(from: Station<HostProcess>): Promise<void> {
    await done(from, (process) => process.closeSession(session), 20_000);
  }

  async function deliver(
    host: Station<HostProcess>,
    id: string,
    args: object,
  ): Promise<ToolOutcome | undefined> {
    const patience = new AbortController();
    world.trace(() => `${id} is delivered to ${host.name}`);
    const outcome = await done(
      host,
      (process) => process.call(session, id, args, patience.signal),
      PATIENCE_MS,
    );
    if (outcome === undefined) host.machine?.do(() => patience.abort(new Error("nobody waits any more")));
    return outcome;
  }

  /** What a host does for somebody; nothing where it dies, fails or takes too long. */
  function done<T>(
    { machine, process }: Station<HostProcess>,
    work: (process: HostProcess) => Promise<T>,
    limitMs: number,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const limit = world.schedule(limitMs, () => resolve(undefined));
    // Whoever waits for a dead process is told so by their connection.
    const check = () => {
      if (machine?.isAlive === true) watch = world.schedule(1_000, check);
      else resolve(undefined);
    };
    let watch = world.schedule(1_000, check);
    if (process === undefined) resolve(undefined);
    else
      machine?.do(() => {
        work(process).then(resolve, (thrown: unknown) => {
          const code = HaftError.is(thrown) ? thrown.code : (thrown as Error).message;
          invariants.count(`  not opened: ${code}`);
          resolve(undefined);
        });
      });
    return promise.finally(() => {
      limit.run = undefined;
      watch.run = undefined;
    });
  }
}

/** Somebody who is told of that tries another host. */
function isTrouble(outcome: ToolOutcome): boolean {
  return "code" in outcome && ["LEDGER_UNAVAILABLE", "SESSION_LEASE_LOST"].includes(outcome.code);
}
