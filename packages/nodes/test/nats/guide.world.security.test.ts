import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sampleOpening, openNatsStore } from "../../../store/test/nats/support/internals.ts";
import { NATS_SERVER, startNats } from "../../../store/test/nats/support/nats-server.ts";
import {
  findDuplicateNode,
  openKnownHosts,
  type NodePairing,
  openIdentity,
  readPairing,
} from "../../src/index.ts";
import { openNatsBus } from "../../src/nats/index.ts";
import { camera } from "../support/camera.ts";
import { createTestHost, serveTestNode } from "../support/test-nodes.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../../../docs/guides/many-machines.md"), "utf8");

/** The one block of the guide in this language. */
function blockOf(language: string): string {
  const blocks = [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))];
  expect(blocks).toHaveLength(1);
  return blocks[0]![1]!;
}

/** One that the clients are told to believe. */
function certificate(folder: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, "server.pem"), join(folder, "server.key")];
  const made = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
  ];
  const named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...made, ...named, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key };
}

describe.skipIf(NATS_SERVER === undefined)("a fleet set up with the guide", () => {
  test("works with these permissions over TLS, and nodes reach nothing of the hosts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-guide-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { cert, key } = certificate(folder);
    const pathOf = (name: string) => join(folder, name);
    const [hostKey, nodeKey] = [openIdentity(pathOf("host")), openIdentity(pathOf("node"))];
    const conf = blockOf("conf")
      .replace(/^(port|jetstream).*$/gm, "")
      .replaceAll("UHOST", hostKey.id)
      .replaceAll("UNODE", nodeKey.id)
      .replace("/etc/nats/server.pem", cert)
      .replace("/etc/nats/server.key", key);
    const server = await startNats(conf);
    onTestFinished(() => server.stop());
    const to = { servers: server.url, tls: { caFile: cert } };

    // The node knows the host by the file that the guide writes.
    execFileSync("mkdir", ["-m", "700", pathOf("hosts")]);
    const command = blockOf("sh")
      .replace("/var/lib/haft/hosts", pathOf("hosts"))
      .replace("UHOST", hostKey.id);
    execFileSync("sh", ["-c", command]);
    const { commands, snapped } = camera();
    const kitchen = await serveTestNode(await openNatsBus({ ...to, nkeySeed: nodeKey.seed }), commands, {
      identity: nodeKey,
      hosts: openKnownHosts(pathOf("hosts")),
    });

    // Another program with the same key would be found.
    const again = await openNatsBus({ ...to, nkeySeed: nodeKey.seed });
    expect(await findDuplicateNode(again, nodeKey, { boot: "another", waitMs: 5_000 })).toBe(
      kitchen.node.boot,
    );
    await again.close();

    const sealKeyFile = pathOf("seal");
    writeFileSync(sealKeyFile, "x".repeat(32));
    const store = await openNatsStore({ ...to, nkeyFile: pathOf("host/identity.nk"), sealKeyFile });
    onTestFinished(() => store.close());
    const kind = {
      kind: "node",
      parse: readPairing,
      prevails: ({ revokedAt }: NodePairing) => revokedAt !== undefined,
    };
    const pairings = await store.records<NodePairing>(kind);
    const lines: string[] = [];
    const logger = { warn: (line: string) => void lines.push(line) };
    const bus = await openNatsBus({ ...to, nkeySeed: hostKey.seed, logger });
    const desk = createTestHost(bus, { identity: hostKey, pairings });
    pairings.write(kitchen.node.id, { name: "kitchen", pairedAt: 1 });
    await desk.nodes.approve(kitchen.node.id);
    await pairings.settled();
    const target = desk.nodes.resolve({ command: "camera.snap" });
    await desk.nodes.invoke({ target, params: { room: "hall" } });
    expect(snapped).toEqual(["hall"]);
    const run = await store.ledger.open(sampleOpening({ resume: true }));
    await run.close();
    expect(await store.check()).toEqual([]);
    // The server has permissions: nobody was warned.
    expect(lines).toEqual([]);

    const nc = await connect({ ...to, authenticator: nkeyAuthenticator(Buffer.from(nodeKey.seed)) });
    onTestFinished(() => nc.close());
    const received: string[] = [];
    for (const subject of [">", "$KV.>", "haft.ledger.>", `haft.inbox.${hostKey.id}.>`, "_INBOX.>"])
      nc.subscribe(subject, { callback: (error, message) => void (error ?? received.push(message.subject)) });
    const forged = { record: { name: "kitchen", pairedAt: 1 } };
    nc.publish("$KV.haft_approvals.node.forged", JSON.stringify(forged));
    nc.publish("$JS.API.STREAM.DELETE.haft_ledger");
    nc.publish(`haft.node.${nodeKey.id}.link`, "to itself");
    await nc.flush();
    pairings.write("other", { name: "other", pairedAt: 1 });
    await pairings.settled();
    expect((await store.records<NodePairing>(kind)).ids().toSorted()).toEqual(
      [kitchen.node.id, "other"].toSorted(),
    );
    expect(await store.check()).toEqual([]);
    expect(received).toEqual([]);
  });
});
