import { fc, test as property } from "@fast-check/vitest";
import { Type } from "@sinclair/typebox";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { image, text } from "../../../src/contract/result.ts";
import { maskSecrets } from "../../../src/kernel/recording/mask-value.ts";
import { makeTool, openSession, createTestPolicy, type TestSession } from "../../support/kernel.ts";
import { testStore } from "../../support/ledger.ts";

const KEY = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const PNG = image(new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), "image/png");

const send = makeTool("send", {
  effects: ["message"],
  parameters: Type.Object({}, { additionalProperties: true }),
  wantsPlan: () => true,
  plan: () => ({
    subjects: {
      command: { text: `curl -u me:hunter22 https://${KEY}@x.example.com`, cwd: "/", commands: [] },
    },
    consent: [{ place: "/p", reason: `It uses ${KEY}.` }],
    binding: `bound to ${KEY}`,
  }),
  execute: () => ({
    content: [text(`The key is ${KEY}. ${"word ".repeat(1_000)}`), PNG],
    details: { token: "s3cr3t-value", list: [KEY, 1], nested: { ok: true } },
  }),
});

async function recordOf(args: unknown, setup: TestSession = {}) {
  const store = testStore();
  const policy = createTestPolicy();
  const session = await openSession({ tools: [send], store, policy, ...setup });
  await session.call({ id: "a", name: "send", arguments: args });
  await session.close();
  const [record] = await store.all();
  return { record: record!, json: JSON.stringify(await store.all()) };
}

const ARGS = { to: "me", password: "hunter2", argv: ["mysql", "--password", "hunter22"], note: `use ${KEY}` };

describe("the record of a call", () => {
  for (const record of ["plan", "full", "none"] as const) {
    test(`has no recognizable secret with \`${record}\``, async () => {
      // Nobody agrees to what needs consent: what a plan says is recorded all the same.
      const { json } = await recordOf(ARGS, { record, approvalMode: "deny" });
      for (const secret of [KEY, "hunter2", "s3cr3t-value"]) expect(json).not.toContain(secret);
    });
  }

  test("has all subjects of the decision: arguments, plan, tool, rule and sender", async () => {
    const { record } = await recordOf(ARGS, { approvalMode: "deny" });
    expect(record).toMatchObject({
      seq: 1,
      epoch: 1,
      status: "failed",
      code: "APPROVAL_UNAVAILABLE",
      changes: true,
      args: {
        to: "me",
        password: "[secret]",
        argv: ["mysql", "--password", "[secret]"],
        note: "use [secret]",
      },
      tool: { id: "t/send", name: "send", pluginId: "t", effects: ["message"], builtIn: false },
      decision: { effect: "ask", id: "test-allow", layer: "consent", source: "workspace" },
      plan: {
        subjects: { command: { cwd: "/" } },
        consent: [{ place: "/p", reason: "It uses [secret]." }],
        binding: "bound to [secret]",
      },
    });
    expect(record.tool).not.toHaveProperty("parameters");
  });

  const plain = makeTool("send", {
    effects: ["message"],
    parameters: Type.Object({}, { additionalProperties: true }),
    execute: send.execute as never,
  });

  test("has size, hash and first 2,000 characters of a result with `plan`, and hashes of images", async () => {
    const { record, json } = await recordOf({}, { tools: [plain] });
    const whole = { content: (await plain.execute("", {}, null!, undefined, null!)).content };
    const details = { token: "s3cr3t-value", list: [KEY, 1], nested: { ok: true } };
    const expected = JSON.stringify({ ...whole, details });
    const result = record.result as { bytes: number; sha256: string; head: string };
    expect(result.bytes).toBe(Buffer.byteLength(expected));
    expect(result.sha256).toBe(createHash("sha256").update(expected).digest("hex"));
    expect(result.head).toHaveLength(2_000);
    expect(result.head).toMatch(/^The key is \[secret\]\. word/);
    expect(json).not.toContain(PNG.data);
  });

  test("has the whole masked result with `full`", async () => {
    const { record } = await recordOf({}, { tools: [plain], record: "full" });
    expect(record.result).toMatchObject({
      content: [{ type: "text", text: expect.stringMatching(/^The key is \[secret\]\./) as string }, PNG],
      details: { token: "[secret]", list: ["[secret]", 1], nested: { ok: true } },
    });
  });

  test("has outcome and identity with `none`", async () => {
    const { record } = await recordOf(ARGS, { tools: [plain], record: "none" });
    for (const part of ["args", "plan", "tool", "decision", "result"])
      expect(record).not.toHaveProperty(part);
    expect(record).toMatchObject({ status: "completed", receipt: "committed", outcome: "ok" });
    for (const digest of [record.key, record.fingerprint, record.argsDigest])
      expect(digest).toMatch(/^[\w-]{43}$/);
  });

  test("shows no part of a secret at the end of the head", async () => {
    const cut = makeTool("send", {
      effects: ["message"],
      execute: () => ({ content: [text(`${"x ".repeat(990)}${KEY} and more`)], details: {} }),
    });
    const { record } = await recordOf({}, { tools: [cut] });
    expect((record.result as { head: string }).head).not.toContain("ghp_");
  });

  test("has the sender of the call", async () => {
    const store = testStore();
    const session = await openSession({ tools: [plain], store });
    await session.call({ name: "send" }, { sender: { id: "7", name: "Ada" } });
    await session.close();
    expect((await store.all())[0]?.sender).toEqual({ id: "7", name: "Ada" });
  });
});

describe("a large value", () => {
  const long = `${"a".repeat(1_990)} ${KEY} ${"b".repeat(20_000)}`;
  const args = { path: "x", content: long, many: Array.from({ length: 40 }, () => "c".repeat(10_000)) };

  test("is stored as head, size and hash with `plan`, up to 100,000 characters in all", async () => {
    const { record, json } = await recordOf(args, { approvalMode: "deny" });
    const { path, content, many } = record.args as {
      path: string;
      content: { head: string };
      many: unknown[];
    };
    expect(path).toBe("x");
    expect(content).toMatchObject({
      bytes: long.length,
      sha256: createHash("sha256").update(long).digest("hex"),
    });
    expect(content.head.length).toBeLessThanOrEqual(2_000);
    expect(many.at(-1)).toEqual({ elided: true });
    expect(json.length).toBeLessThan(150_000);
    expect(json).not.toContain("ghp_");
  });

  test("is stored masked with `full`", async () => {
    const { record } = await recordOf(args, { approvalMode: "deny", record: "full" });
    expect(record.args).toEqual({ ...args, content: long.replace(KEY, "[secret]") });
  });

  test("is stored whole while the call waits for a decision", async () => {
    const store = testStore();
    // Of more than 256 KiB nobody is asked.
    const stored = { ...args, many: args.many.slice(0, 20) };
    const session = await openSession({ tools: [send], store, approvalMode: "pending" });
    const outcome = await session.call({ id: "a", name: "send", arguments: stored });
    expect(outcome.kind).toBe("pending");
    const waiting = await session.findRecord("a");
    expect(waiting).toMatchObject({
      status: "pending",
      argsWhole: true,
      args: stored,
      received: { name: "send" },
    });
    const [{ approvalId } = { approvalId: "" }] = session.pendingApprovals();
    expect(waiting?.approvalId).toBe(approvalId);
    await session.resolveApproval(approvalId, "deny");
    const decided = JSON.stringify(await session.findRecord("a"));
    expect(decided).not.toContain(KEY);
    expect(decided).not.toContain("received");
    await session.close();
  });
});

describe("the mask", () => {
  const json = fc.jsonValue();

  property.prop([json])("keeps structure and keys, and shares nothing with what it was made of", (value) => {
    const before = JSON.stringify(value);
    const covered = maskSecrets(value);
    expect(shape(covered)).toEqual(shape(value));
    expect(JSON.stringify(value)).toBe(before);
    if (typeof value === "object" && value !== null) expect(covered).not.toBe(value);
  });

  property.prop([json, fc.constantFrom("password", "api_key", "token")])(
    "covers what is called so, wherever it stands",
    (value, name) => {
      const covered = JSON.stringify(maskSecrets([{ deep: { [name]: "hunter2hunter2", value } }]));
      expect(covered).not.toContain("hunter2hunter2");
    },
  );

  test("keeps values that are not secret", () => {
    for (const value of [
      { tokens: 7, key: "Enter" },
      ["--token-count", "5"],
      "a pass over the text",
      0,
      null,
    ])
      expect(maskSecrets(value)).toEqual(value);
  });

  function shape(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shape);
    if (typeof value !== "object" || value === null) return typeof value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member)]));
  }
});
