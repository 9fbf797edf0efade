import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { NatsStoreOptions } from "../../src/nats/index.ts";
import type { RecordsOptions } from "../../src/nats/records/shared-records.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { startPausableProxy } from "./support/pausable-proxy.ts";
import { connectRawClient } from "./support/raw-client.ts";
import { freshPrefix, openStore } from "./support/two-stores.ts";

interface Decided {
  readonly name: string;
  readonly revoked?: true;
}

const DECIDED: RecordsOptions<Decided> = {
  kind: "node",
  parse(value) {
    const { name, revoked } = value as Partial<Decided>;
    if (typeof name !== "string") throw new Error("it has no name");
    return { name, ...(revoked && { revoked }) };
  },
  prevails: ({ revoked }) => revoked === true,
};

describe.skipIf(NATS_SERVER === undefined)("shared records of hosts on a NATS server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  const open = async (prefix: string, options: Partial<NatsStoreOptions> = {}, url = server.url) =>
    await (await openStore({ url }, { prefix, ...options })).records(DECIDED);

  test("all hosts read a write, including hosts that connect later", async () => {
    const prefix = freshPrefix();
    const [here, there] = await Promise.all([open(prefix), open(prefix)]);
    expect(there.read("n1")).toBeUndefined();
    here.write("n1", { name: "one" });
    expect(here.read("n1")).toEqual({ name: "one" });
    await here.settled();
    await expect.poll(() => there.read("n1")).toEqual({ name: "one" });
    there.write("n1", { name: "other" });
    there.write("n2", { name: "two" });
    await there.settled();
    await expect.poll(() => here.read("n1")).toEqual({ name: "other" });
    const late = await open(prefix);
    expect(late.ids().toSorted()).toEqual(["n1", "n2"]);
    here.remove("n2");
    await here.settled();
    await expect.poll(() => late.ids()).toEqual(["n1"]);
    expect((await open(prefix)).ids()).toEqual(["n1"]);
    here.write("n2", { name: "again" });
    await here.settled();
    await expect.poll(() => late.read("n2")).toEqual({ name: "again" });
  });

  test("rejects a write that missed another host's write, but stores a revocation", async () => {
    const prefix = freshPrefix();
    const line = await startPausableProxy(server.port);
    onTestFinished(() => line.close());
    const [here, there] = await Promise.all([open(prefix), open(prefix, {}, line.url)]);
    here.write("n1", { name: "one" });
    await here.settled();
    await expect.poll(() => there.read("n1")).toEqual({ name: "one" });
    line.pause();
    here.write("n1", { name: "one", revoked: true });
    await here.settled();
    there.write("n1", { name: "changed" });
    line.resume();
    await expect(there.settled()).rejects.toMatchObject({
      code: expect.stringMatching(/^RECORD_CHANGED$|^NATS_FAILED$/) as string,
    });
    await expect.poll(() => there.read("n1")).toEqual({ name: "one", revoked: true });
    expect(here.read("n1")).toEqual({ name: "one", revoked: true });
    // Both at once: it holds, whoever was first.
    for (let round = 0; round < 10; round++) {
      const id = `r${round}`;
      here.write(id, { name: "here", revoked: true });
      there.write(id, { name: "there" });
      await Promise.allSettled([here.settled(), there.settled()]);
      for (const each of [here, there]) await expect.poll(() => each.read(id)?.revoked).toBe(true);
    }
  });

  test("reads fail while the server is unreachable, and work again afterwards", async () => {
    const separate = await startNats();
    onTestFinished(() => separate.stop());
    const here = await open("haft", {}, separate.url);
    here.write("n1", { name: "one" });
    await here.settled();
    await separate.kill();
    await vi.waitFor(() => expect(() => here.read("n1")).toThrow(/not known/), 30_000);
    here.write("n2", { name: "two" });
    await expect(here.settled()).rejects.toMatchObject({ code: "NATS_FAILED" });
    await separate.start();
    await vi.waitFor(() => expect(here.read("n1")).toEqual({ name: "one" }), 60_000);
    // What was said not to be kept is not.
    expect(here.read("n2")).toBeUndefined();
  });

  test("reports forged records as errors, and they hide no other record", async () => {
    const prefix = freshPrefix();
    const folder = mkdtempSync(join(tmpdir(), "haft-seal-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sealKeyFile = join(folder, "key");
    writeFileSync(sealKeyFile, randomBytes(32));
    const here = await open(prefix, { sealKeyFile });
    here.write("n1", { name: "one" });
    await here.settled();
    const { write } = await connectRawClient(server);
    await write(`${prefix}_approvals`, "node.n2", { record: { name: "forged" } });
    await vi.waitFor(() => expect(() => here.read("n2")).toThrow(/seal/), 30_000);
    expect(here.read("n1")).toEqual({ name: "one" });
    const later = await open(prefix, { sealKeyFile });
    expect(() => later.read("n2")).toThrow(expect.objectContaining({ code: "STORE_CORRUPT" }));
    expect(later.read("n1")).toEqual({ name: "one" });
    // Without the key everything is believed that has the form.
    expect((await open(prefix)).read("n2")).toEqual({ name: "forged" });
    await write(`${prefix}_approvals`, "node.n3", { record: 7 });
    await vi.waitFor(() => expect(() => later.read("n3")).toThrow(/not used/), 30_000);
  });

  test("rejects an invalid id or kind", async () => {
    const prefix = freshPrefix();
    const here = await open(prefix);
    expect(() => here.write("a.b", { name: "x" })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTIONS" }),
    );
    expect(here.read("a.b")).toBeUndefined();
    const store = await openStore(server, { prefix });
    for (const kind of ["grant", "a.b", ""])
      await expect(store.records({ ...DECIDED, kind })).rejects.toMatchObject({
        code: "INVALID_OPTIONS",
      });
    await expect(store.records({ ...DECIDED, prevail: () => true } as never)).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
    });
  });
});
