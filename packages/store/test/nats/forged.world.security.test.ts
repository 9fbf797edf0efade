import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  ALLOW,
  DENY,
  sampleGrant,
  sampleRequest,
  SCOPE,
  waiter,
} from "../../src/testing/approvals/samples.ts";
import { NATS_SERVER, startNats, type TestServer } from "./support/nats-server.ts";
import { connectRawClient } from "./support/raw-client.ts";
import { freshPrefix, openStore } from "./support/two-stores.ts";

function keyFile(content: Uint8Array = randomBytes(32)): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-seal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "key"), content);
  return join(folder, "key");
}

describe.skipIf(NATS_SERVER === undefined)("an answer forged in the bucket", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  /** Two requests, of which one was allowed, and somebody who writes into the bucket. */
  async function attacked(sealKeyFile?: string) {
    const prefix = freshPrefix();
    const warnings: string[] = [];
    const logger = { warn: (message: string) => void warnings.push(message) };
    const options = { prefix, logger, ...(sealKeyFile !== undefined && { sealKeyFile }) };
    const { approvals } = await openStore(server, options);
    await approvals.addRequest(sampleRequest("asked123"));
    await approvals.addRequest(sampleRequest("other123"));
    await approvals.answer("other123", ALLOW);
    const other = await connectRawClient(server);
    const bucket = `${prefix}_approvals`;
    const change = async (key: string, by: (stored: Record<string, unknown>) => object) =>
      other.write(bucket, key, by(await other.read(bucket, key)));
    return { prefix, approvals, warnings, bucket, change, ...other };
  }

  test.for([
    ["an approval without a seal", { answer: '{"decision":"allow-once"}' }],
    ["a false seal", { answer: '{"answer":"{\\"decision\\":\\"allow-once\\"}","seal":"00"}' }],
    ["an object", { answer: { decision: "allow-once" } }],
    ["no answer", {}],
  ] as const)("is invalid: %s", async ([, answer]) => {
    const { approvals, warnings, change } = await attacked();
    const { received, leave } = waiter(approvals, "asked123");
    const state = { state: "answered", answeredAt: Date.now() };
    await change("request.asked123", (stored) => ({ ...stored, ...state, ...answer }));
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toBeUndefined();
    expect(received).toEqual([]);
    expect(warnings).toContainEqual(expect.stringContaining("answer to asked123 was not used"));
    // There is room for one that is.
    await approvals.answer("asked123", DENY);
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toMatchObject({ answer: DENY });
    leave();
  });

  test("is invalid for another request or for a changed request", async () => {
    const { approvals, change, read, bucket } = await attacked();
    const { state, answer, answeredAt } = await read(bucket, "request.other123");
    await change("request.asked123", (stored) => ({ ...stored, state, answer, answeredAt }));
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toBeUndefined();
    await change("request.other123", (stored) => ({
      ...stored,
      request: { ...(stored["request"] as object), args: { command: "evil" } },
    }));
    expect(await approvals.takeAnswer!({ approvalId: "other123" })).toBeUndefined();
  });

  test("allows nothing with the operator's key, even for an attacker who can read everything", async () => {
    const { prefix, approvals, change, write, read, bucket } = await attacked(keyFile());
    // They have a store of their own, and another key; or none.
    for (const sealKeyFile of [keyFile(), undefined]) {
      const forger = await openStore(server, { prefix, ...(sealKeyFile !== undefined && { sealKeyFile }) });
      await forger.approvals.answer("asked123", ALLOW);
      expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toBeUndefined();
      await forger.approvals.addGrant(sampleGrant(`evil${sealKeyFile === undefined ? "none" : "else"}`));
    }
    await approvals.addGrant(sampleGrant("good1234"));
    expect((await approvals.grants(SCOPE)).map(({ id }) => id)).toEqual(["good1234"]);
    expect(approvals.problem?.()).toMatch(/sealKeyFile.*decides nothing/);
    expect(await approvals.useGrant("evilelse")).toBe(false);
    // One that was given for one conversation is none for another.
    await change("grant.good1234", (stored) => ({
      ...stored,
      grant: { ...(stored["grant"] as object), sessionKey: "t" },
    }));
    expect(await approvals.grants({ ...SCOPE, sessionKey: "t" })).toEqual([]);
    // A request that was never asked.
    const made = await read(bucket, "request.asked123");
    await write(bucket, "request.made1234", { ...made, state: "answered", answer: ALLOW });
    expect(await approvals.takeAnswer!({ approvalId: "made1234" })).toBeUndefined();
    expect(await approvals.takeAnswer!({ approvalId: "other123" })).toMatchObject({ answer: ALLOW });
  });

  test("hosts with the same key can answer each other", async () => {
    const sealKeyFile = keyFile();
    const { prefix, approvals } = await attacked(sealKeyFile);
    const there = await openStore(server, { prefix, sealKeyFile });
    await there.approvals.answer("asked123", ALLOW);
    expect(await approvals.takeAnswer!({ approvalId: "asked123" })).toMatchObject({ answer: ALLOW });
  });

  test.each([
    [randomBytes(31), /31 bytes.*guessed/],
    ["nowhere", /cannot be read/],
    ["", /a relative path/],
  ])("rejects an insecure key", async (content, why) => {
    const absent = content === "" ? "relative" : "/nowhere/at/all";
    const sealKeyFile = typeof content === "string" ? absent : keyFile(content);
    await expect(openStore(server, { sealKeyFile })).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: expect.stringMatching(why) as string,
    });
  });
});
