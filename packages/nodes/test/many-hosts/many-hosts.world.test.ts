import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { NATS_SERVER, startNats } from "../../../store/test/nats/support/nats-server.ts";
import { createIdentity, type Identity } from "../../src/index.ts";
import { createRequester, startProgram, startWorker } from "../support/programs.ts";
import type { HostRequest } from "./host-program.ts";

type Request = HostRequest extends infer Each ? (Each extends HostRequest ? Omit<Each, "at"> : never) : never;

/** A host in a process of its own. */
function host(url: string, { seed }: Identity): Promise<(request: Request) => Promise<string>> {
  return createRequester(startProgram(join(import.meta.dirname, "host-program.ts"), url, seed));
}

describe.skipIf(NATS_SERVER === undefined)("two hosts with separate keys", () => {
  test("share decisions about nodes, and take turns with each session", async () => {
    const server = await startNats();
    onTestFinished(() => server.stop());
    const [node, one, two] = [createIdentity(), createIdentity(), createIdentity()];
    // The node knows both: whoever sets it up puts their ids there.
    const { ran } = await startWorker(server.url, [one.id, two.id], { identity: node });
    const [first, second] = await Promise.all([host(server.url, one), host(server.url, two)]);
    const call = (id: string) => ({ do: "call", session: "s", id, what: id }) as const;

    // One host decides, and both know it.
    expect(await first(call("c0"))).toBe("NODE_NEEDED");
    expect(await first({ do: "pair", node: node.id })).toBe("ok");
    expect(await first({ do: "approve", node: node.id })).toBe("ok");
    expect(await first(call("c1"))).toBe("ok");
    // The session is held.
    expect(await second(call("c2"))).toBe("SESSION_HELD");
    await first({ do: "close", session: "s" });
    await vi.waitFor(async () => expect(await second(call("c2"))).toBe("ok"), 30_000);
    // What the other host has done is not done again.
    expect(await second(call("c1"))).toBe("ok, from the ledger");
    expect(ran()).toEqual(["c1", "c2"]);
    // What one revokes, the other calls no more.
    expect(await first({ do: "revoke", node: node.id })).toBe("ok");
    let calls = 0;
    await vi.waitFor(async () => expect(await second(call(`late ${calls++}`))).toBe("NODE_NEEDED"), 30_000);
    const before = ran().length;
    expect(await second(call("never"))).toBe("NODE_NEEDED");
    expect(ran()).toHaveLength(before);
  });
});
