import {
  createIdentity,
  createNode,
  type Identity,
  type KnownHost,
  memoryRecords,
  type NodePairing,
} from "../../src/index.ts";
import { audit } from "./audit.ts";
import { injectFaults } from "./inject-faults.ts";
import { InvariantChecker } from "./invariant-checker.ts";
import { type Hardware, Machine } from "./machine.ts";
import { Network, type Computer, type MessageFaults } from "./network.ts";
import {
  createApprovedPairing,
  type Fleet,
  type HostProcess,
  type NodeProcess,
  startHost,
  startNode,
  workCommand,
} from "./processes.ts";
import { useSession } from "./users.ts";
import { currentMachine, World } from "./world.ts";

/** How large a fleet is, and for how long it is used. */
export interface Size {
  readonly hosts: number;
  readonly nodes: number;
  readonly sessions: number;
  /** Of each session, at most. */
  readonly calls: number;
  /** In which sessions begin; troubles, too. */
  readonly seconds: number;
}

export const SMALL: Size = { hosts: 3, nodes: 5, sessions: 50, calls: 2, seconds: 45 };
export const LARGE: Size = { hosts: 3, nodes: 20, sessions: 2_000, calls: 1, seconds: 120 };

/** A computer of a fleet, whose process is started again when it has ended. */
export class Station<T extends { kill(): void }> implements Computer {
  readonly name: string;
  readonly hardware: Hardware;
  isCut = false;
  machine: Machine | undefined;
  process: T | undefined;
  readonly #world: World;
  readonly #start: (machine: Machine) => Promise<T>;

  constructor(world: World, name: string, start: (current: Station<T>, machine: Machine) => Promise<T>) {
    this.#world = world;
    this.name = name;
    this.#start = (machine) => start(this, machine);
    const days = 24 * 3_600_000;
    this.hardware = {
      // Worse than any quartz; a lease is told from a lost one as long as two clocks differ by less than an eighth.
      rate: world.between(0.98, 1.02),
      date: 1_800_000_000_000 + world.between(-3, 3) * days,
      uptime: world.between(0, 100) * days,
    };
  }

  get isThere(): boolean {
    return this.process !== undefined && this.machine?.isAlive === true;
  }

  /** Starts its process, over and over until it has begun. */
  start(): void {
    if (this.machine?.isAlive === true) return;
    const machine = new Machine(this.#world, this.name, this.hardware);
    this.machine = machine;
    const again = () => {
      if (!machine.isAlive || this.process !== undefined) return;
      machine.kill();
      this.#world.schedule(1_000, () => this.machine === machine && this.start());
    };
    this.#world.schedule(8_000, again);
    machine.do(() => {
      const started = (process: T) => {
        if (machine.isAlive) this.process = process;
        else process.kill();
      };
      this.#start(machine).then(started, () => currentMachine.exit(again));
    });
  }

  /** SIGKILL. */
  kill(): void {
    this.machine?.kill();
    this.process?.kill();
    this.process = undefined;
  }
}

/** All of it, for those who disturb it. */
export interface Scene extends Fleet {
  readonly world: World;
  readonly hosts: readonly Station<HostProcess>[];
  readonly nodes: readonly Station<NodeProcess>[];
}

/** What became of a fleet. */
export interface Outcome {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** A digest of how it went: the same for the same seed. */
  readonly happened: string;
}

/** Plays what a seed says, and compares it with what must hold. */
export async function play(
  seed: number,
  size: Size,
  { trace, enter }: { trace?: string[]; enter(world: World): void },
): Promise<Outcome> {
  const world = new World(seed, trace);
  enter(world);
  const scene = sceneOf(world, size);
  const { invariants, network } = scene;
  for (const station of [...scene.hosts, ...scene.nodes]) station.start();
  await world.runUntil(() => [...scene.hosts, ...scene.nodes].every(({ isThere }) => isThere));
  const began = world.now;
  const peace = injectFaults(scene, size.seconds * 1_000);
  const users = Array.from({ length: size.sessions }, async (_, at) => {
    await new Promise<void>((resolve) => world.schedule(world.between(0, size.seconds * 1_000), resolve));
    await useSession(scene, `s${at}`, size.calls);
  });
  let isOver = false;
  void Promise.all(users).then(() => (isOver = true));
  await world.runUntil(() => isOver, began + 3_600_000);
  if (!isOver) invariants.broken.push("some of those who called were not answered within an hour");
  peace();
  await audit(scene);
  const { server } = network;
  invariants.count("messages lost on their way", server.lost);
  invariants.count("messages that came twice", server.doubled);
  invariants.count("happenings", world.count);
  return {
    seed,
    broken: invariants.broken,
    counts: invariants.counts,
    happened: `${world.count} ${world.now}`,
  };
}

function sceneOf(world: World, size: Size): Scene {
  const network = new Network(world, weatherOf(world));
  const books = new InvariantChecker(world);
  const fleet: Fleet = { network, invariants: books };
  const named = (count: number, letter: string) =>
    Array.from({ length: count }, (_, at) => ({ name: `${letter}${at}`, identity: createIdentity() }));
  const hosts = named(size.hosts, "h");
  const nodes = named(size.nodes, "n");
  const known = memoryRecords<KnownHost>();
  for (const { name, identity } of hosts) known.write(identity.id, { name, pairedAt: 1 });
  const pairings = memoryRecords<NodePairing>();
  for (const { name, identity } of nodes)
    pairings.write(identity.id, createApprovedPairing(name, declarationOf(identity, books)));
  return {
    ...fleet,
    world,
    hosts: hosts.map(
      ({ name, identity }) =>
        new Station(world, name, (current, machine) =>
          startHost(fleet, current, machine, { identity, pairings }),
        ),
    ),
    nodes: nodes.map(
      ({ name, identity }) =>
        new Station(world, name, (current, machine) =>
          startNode(fleet, current, machine, { identity, hosts: known }),
        ),
    ),
  };
}

function declarationOf({ id }: Identity, books: InvariantChecker) {
  return createNode({ id, commands: [workCommand(books, id)] }).declaration;
}

/** Most days are fair. */
function weatherOf(world: World): MessageFaults {
  if (world.chance(0.4)) return { lost: 0, doubled: 0, delayed: 0 };
  return { lost: world.between(0, 0.05), doubled: world.between(0, 0.1), delayed: world.between(0, 0.05) };
}
