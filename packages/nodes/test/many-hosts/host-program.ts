// One host of several on a NATS server: its own key, what was decided about nodes in the store, sessions by lease. It is told
// what to do by lines of JSON. Arguments: server, seed.
import { HaftError } from "@haft/core";
import { Registry, type Session, SessionFactory } from "@haft/core/kernel";
import { createPolicy } from "@haft/policy";
import { createHostWorkspace } from "@haft/workspace";
import { createInterface } from "node:readline";
import { openNatsStore } from "../../../store/test/nats/support/internals.ts";
import {
  createIdentity,
  createLinkTransport,
  createNodes,
  createNodesPlugin,
  type NodePairing,
  readPairing,
} from "../../src/index.ts";
import { openNatsBus } from "../../src/nats/index.ts";

/** What a host is told to do. */
export type HostRequest = { readonly at: number } & (
  | { readonly do: "pair"; readonly node: string }
  | { readonly do: "approve"; readonly node: string }
  | { readonly do: "revoke"; readonly node: string }
  | { readonly do: "call"; readonly session: string; readonly id: string; readonly what: string }
  | { readonly do: "close"; readonly session: string }
);

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const [servers = "", seed] = process.argv.slice(2);
const store = await openNatsStore({ servers });
const pairings = await store.records<NodePairing>({
  kind: "node",
  parse: readPairing,
  prevails: ({ revokedAt }) => revokedAt !== undefined,
});
const transport = createLinkTransport({
  bus: await openNatsBus({ servers }),
  identity: createIdentity(seed),
  name: "one of several",
});
const nodes = createNodes({ transport, pairings });
const plugin = createNodesPlugin(nodes);
const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
const policy = createPolicy({ grant: ["node_invoke"] }, { tools: await registry.survey(SILENT) });
const factory = new SessionFactory({ registry, policy, store: store.ledger });
const workspace = createHostWorkspace({ root: import.meta.dirname });
const sessions = new Map<string, Session>();

const reply = (at: number, answer: string) => process.stdout.write(`${JSON.stringify({ at, answer })}\n`);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const request = JSON.parse(line) as HostRequest;
    act(request).then(
      (answer) => reply(request.at, answer),
      (thrown: unknown) => reply(request.at, HaftError.is(thrown) ? thrown.code : String(thrown)),
    );
  })
  .on("close", () => process.kill(process.pid));
reply(-1, "ready");

async function act(request: HostRequest): Promise<string> {
  switch (request.do) {
    case "pair":
      pairings.write(request.node, { name: "worker", pairedAt: Date.now() });
      await pairings.settled();
      return "ok";
    case "approve":
      await nodes.approve(request.node);
      await pairings.settled();
      return "ok";
    case "revoke":
      nodes.revoke(request.node);
      await pairings.settled();
      return "ok";
    case "call": {
      const { session: sessionKey, id, what } = request;
      let session = sessions.get(sessionKey);
      if (session === undefined) {
        session = await factory.open({ kind: "main", workspace, sessionKey, resume: true });
        sessions.set(sessionKey, session);
      }
      const args = { command: "work.note", params: { what } };
      const outcome = await session.call({ id, name: "node_invoke", arguments: args });
      return "code" in outcome ? outcome.code : outcome.replayed === true ? "ok, from the ledger" : "ok";
    }
    case "close":
      await sessions.get(request.session)?.close();
      sessions.delete(request.session);
      return "ok";
  }
}
