import type { ToolOutcome } from "@haft/core";
import type { LedgerStore } from "@haft/core/internal";
import { Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { Type } from "@haft/plugin-sdk";
import { createHostWorkspace } from "@haft/workspace";
import { uptime } from "node:os";
import { createFakeLink } from "../../../store/test/nats/fake-server/link.ts";
import { type LeaseTimes, createNatsStore } from "../../../store/test/nats/support/internals.ts";
import {
  createLinkTransport,
  createNode,
  createNodes,
  createNodesPlugin,
  defineNodeCommand,
  type Identity,
  type KnownHost,
  type NodeDeclaration,
  type NodePairing,
  type Records,
  serveNode,
  type ServedNode,
} from "../../src/index.ts";
import { createBus, createWire } from "./connection.ts";
import type { InvariantChecker } from "./invariant-checker.ts";
import type { Machine } from "./machine.ts";
import type { Network, Computer } from "./network.ts";

/** As all hosts have them. */
const TIMES: LeaseTimes = {
  renewMs: 10_000,
  holdMs: 40_000,
  takeMs: 45_000,
  clock: () => uptime() * 1_000,
  sweepMs: 3_600_000,
};

const ALLOW = { effect: "allow", id: "allow", reason: "Everything is allowed.", trace: [] } as const;
const POLICY = { forSession: () => ({ visibility: () => ALLOW, call: () => ALLOW }) };
const WORKSPACE = createHostWorkspace({ root: import.meta.dirname });

/** What is the same for all processes of a fleet. */
export interface Fleet {
  readonly network: Network;
  readonly invariants: InvariantChecker;
}

/** The process of a host. */
export interface HostProcess {
  /** Makes a call in a session, which it opens first, or takes over. */
  call(session: string, id: string, args: object, signal: AbortSignal): Promise<ToolOutcome>;
  /** Lets others have a session. */
  closeSession(session: string): Promise<void>;
  has(session: string): boolean;
  readonly store: LedgerStore;
  /** Its connections end with it. */
  kill(): void;
}

/** Starts a host on its machine. @throws where the server does not answer */
export async function startHost(
  { network, invariants }: Fleet,
  computer: Computer,
  machine: Machine,
  { identity, pairings }: { identity: Identity; pairings: Records<NodePairing> },
): Promise<HostProcess> {
  const wire = createWire(network, computer, machine);
  const bus = createBus(network, computer, machine);
  const kill = () => {
    wire.kill();
    bus.kill();
  };
  try {
    const link = createFakeLink(wire, TIMES.clock);
    const opened = await createNatsStore(link, { replicas: 1, bytes: 500_000_000, days: 30 }, TIMES);
    const ledger = noted(opened.ledger, invariants, machine);
    const nodes = createNodes({
      transport: createLinkTransport({ bus, identity, name: computer.name }),
      pairings,
    });
    const plugin = createNodesPlugin(nodes);
    const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
    const factory = new SessionFactory({ registry, policy: POLICY, store: ledger });
    return { ...sessionsOf(factory), store: ledger, kill };
  } catch (thrown) {
    kill();
    throw thrown;
  }
}

function sessionsOf(factory: SessionFactory): Pick<HostProcess, "call" | "closeSession" | "has"> {
  const open = new Map<string, Promise<Session>>();
  const opened = (sessionKey: string, signal: AbortSignal): Promise<Session> => {
    const known = open.get(sessionKey);
    if (known !== undefined) return known;
    const options = {
      kind: "main",
      workspace: WORKSPACE,
      sessionKey,
      resume: true,
      takeOver: true,
      signal,
    } as const;
    const opening = factory.open(options);
    open.set(sessionKey, opening);
    opening.catch(() => open.get(sessionKey) === opening && open.delete(sessionKey));
    return opening;
  };
  const leave = async (sessionKey: string) => {
    const session = open.get(sessionKey);
    open.delete(sessionKey);
    await (await session?.catch(() => undefined))?.close();
  };
  return {
    has: (session) => open.has(session),
    closeSession: leave,
    async call(sessionKey, id, args, signal) {
      const session = await opened(sessionKey, signal);
      const outcome = await session.call({ id, name: "node_invoke", arguments: args });
      if ("code" in outcome && outcome.code === "SESSION_LEASE_LOST") void leave(sessionKey).catch(() => {});
      return outcome;
    },
  };
}

/** Tells the books who has a run. */
function noted(store: LedgerStore, books: InvariantChecker, machine: Machine): LedgerStore {
  return {
    runs: (query) => store.runs(query),
    run: (id) => store.run(id),
    call: (run, id) => store.call(run, id),
    calls: (query) => store.calls(query),
    forget: (which) => store.forget(which),
    close: () => store.close(),
    async open(opening) {
      const run = await store.open(opening);
      books.recordHolder(opening.sessionKey, machine, run);
      return run;
    },
  };
}

/** What nodes of a fleet offer. */
export function workCommand(books: InvariantChecker, name: string) {
  return defineNodeCommand({
    name: "work.do",
    description: "Does something that is not to be done twice.",
    parameters: Type.Object({ call: Type.String(), ms: Type.Integer(), stops: Type.Boolean() }),
    effects: ["write"],
    async run({ call, ms, stops }, { signal }) {
      books.recordStart(call, name);
      await new Promise<void>((resolve, reject) => {
        setTimeout(resolve, ms);
        if (stops) signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
      books.recordFinish(call);
      return { content: [{ type: "text", text: call }], details: {} };
    },
  });
}

/** The process of a node. */
export interface NodeProcess {
  readonly served: ServedNode;
  kill(): void;
}

/** Starts a node on its machine. @throws where the server does not answer */
export async function startNode(
  { network, invariants }: Fleet,
  computer: Computer,
  machine: Machine,
  { identity, hosts }: { identity: Identity; hosts: Records<KnownHost> },
): Promise<NodeProcess> {
  const bus = createBus(network, computer, machine);
  try {
    const node = createNode({
      id: identity.id,
      name: computer.name,
      commands: [workCommand(invariants, computer.name)],
    });
    return { served: await serveNode(node, { bus, identity, hosts }), kill: () => bus.kill() };
  } catch (thrown) {
    bus.kill();
    throw thrown;
  }
}

/** As an operator has approved it. */
export function createApprovedPairing(name: string, declaration: NodeDeclaration): NodePairing {
  const commands = declaration.commands.map((command) => command.name);
  return { name, pairedAt: 1, approved: { at: 1, declaration, commands } };
}
