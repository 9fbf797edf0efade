import type { Scene, Station } from "./story.ts";

type Any = Station<{ kill(): void }>;

/** Disturbs a fleet for so long. Answers how to end all of it at once. */
export function injectFaults(scene: Scene, milliseconds: number): () => void {
  const { world, network, invariants, hosts, nodes } = scene;
  let isOver = false;
  /** What is out of order, until then. */
  const mends = new Set<() => void>();
  const until = (mended: () => void, after: number) => {
    const once = () => void (mends.delete(once) && mended());
    mends.add(once);
    world.schedule(after, once);
  };
  const restart = (station: Any) => {
    invariants.count(station.name.startsWith("h") ? "hosts killed" : "nodes killed");
    world.trace(() => `${station.name} is killed`);
    station.kill();
    until(() => station.start(), world.between(100, 60_000));
  };
  const sleep = (station: Any) => {
    const { machine } = station;
    if (machine?.isAlive !== true || machine.asleep !== undefined) return;
    const how = world.pick(["stopped", "suspended"] as const);
    invariants.count(how);
    world.trace(() => `${station.name} is ${how}`);
    machine.sleep(how);
    until(
      () => {
        world.trace(() => `${station.name} goes on`);
        machine.wake();
      },
      world.chance(0.4) ? world.between(10, 5_000) : world.between(20_000, 90_000),
    );
  };
  const cut = (station: Any) => {
    if (station.isCut) return;
    invariants.count("cut off");
    world.trace(() => `${station.name} is cut off`);
    network.cut(station);
    until(
      () => {
        world.trace(() => `${station.name} is mended`);
        network.mend(station);
      },
      world.chance(0.4) ? world.between(100, 9_000) : world.between(20_000, 90_000),
    );
  };
  const killServer = () => {
    if (!network.server.isUp) return;
    invariants.count("server killed");
    world.trace(() => "the server is killed");
    network.killServer();
    until(
      () => {
        world.trace(() => "the server is back");
        network.startServer();
      },
      world.chance(0.7) ? world.between(50, 4_000) : world.between(4_000, 60_000),
    );
  };
  const stall = () => {
    if (network.server.isStalled) return;
    invariants.count("server stalled");
    world.trace(() => "the server stalls");
    network.stall(true);
    until(() => network.stall(false), world.between(100, 5_000));
  };
  const setClock = (station: Any) => {
    invariants.count("clocks set");
    station.hardware.date += world.between(-1, 1) * 24 * 3_600_000;
  };
  const anyone = () => world.pick<Any>(world.chance(0.6) ? hosts : nodes);
  const kinds = [
    () => restart(anyone()),
    () => sleep(anyone()),
    () => sleep(anyone()),
    () => cut(anyone()),
    () => cut(anyone()),
    killServer,
    stall,
    () => setClock(anyone()),
  ];
  // Some days one thing goes wrong, and some days everything does.
  const pauseMs = world.pick([4_000, 12_000, 40_000]);
  const next = () => {
    if (isOver || world.now > milliseconds + 30_000) return;
    world.pick(kinds)();
    world.schedule(world.between(0.2, 1.8) * pauseMs, next);
  };
  world.schedule(world.between(0, pauseMs), next);
  return () => {
    isOver = true;
    for (const mend of mends) mend();
  };
}
