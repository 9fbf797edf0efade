import type { InspectorEvent } from "@haft/inspector";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createClientAt } from "../../../inspector/test/support/inspector-client.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../store/test/nats/support/nats-server.ts";
import { start } from "../support/haft.ts";

describe.skipIf(NATS_SERVER === undefined)("haft inspect of sessions on NATS", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  test("shows a live session of another machine, and answers its requests", async () => {
    const parent = await temporaryFolder();
    const cwd = join(parent, "work");
    mkdirSync(cwd);
    writeFileSync(join(parent, "seal"), randomBytes(32));
    const config = join(parent, "haft.config.yaml");
    const nats = `{ servers: "${server.url}", prefix: t${randomBytes(6).toString("hex")}, sealKeyFile: ./seal }`;
    writeFileSync(config, `store: nats\nnats: ${nats}\npolicy: { ask: [write] }\n`);
    // Each has a state folder of its own, as machines have.
    const on = (machine: string, args: readonly string[]) => {
      const child = start([...args, "--config", config], cwd, { HAFT_STATE_DIR: join(parent, machine) });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const output = { stderr: "" };
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => (output.stderr += chunk));
      const line = async () => {
        for (;;) {
          const { value, done } = await lines.next();
          if (done === true) throw new Error(`haft ${args[0]} ended: ${output.stderr}`);
          const message = JSON.parse(value);
          // That a call waits is said, too.
          if (message.control === undefined) return message;
        }
      };
      return { child, line };
    };
    const inspector = on("one", ["inspect", "--act", "--json"]);
    const page = createClientAt(await inspector.line());
    expect(await page.get("/api/runs")).toEqual({ items: [] });
    const events = await page.events();
    await events.until(({ type }) => type === "hello");

    const other = on("other", ["run", "--json", "--approvals", "wait"]);
    const write = { id: "w", name: "write", arguments: { path: "a.txt", content: "x" } };
    other.child.stdin.write(`${JSON.stringify(write)}\n`);
    const event = await events.until((one) => one.type === "approval" && one.approval.unattended !== true);
    const { approval } = event as Extract<InspectorEvent, { type: "approval" }>;
    expect(approval).toMatchObject({ tool: { name: "write" }, toolCallId: "w" });
    expect(await page.get(`/api/runs/${approval.runId}`)).toMatchObject({ state: "held" });
    const given = await page.post(`/api/approvals/${approval.approvalId}`, { decision: "allow-once" });
    expect(given.body).toMatchObject({ heard: "taken" });
    expect(await other.line()).toMatchObject({ toolCallId: "w", kind: "ok" });
    expect(existsSync(join(cwd, "a.txt"))).toBe(true);
    await events.until((one) => one.type === "approval-over" && one.approvalId === approval.approvalId);
    await events.until(
      (one) => one.type === "call" && one.call.toolCallId === "w" && one.call.stand === "ok",
    );
    const again = await page.post(`/api/approvals/${approval.approvalId}`, { decision: "deny" });
    expect(again.status).toBe(409);

    // Denied, too: the other one is told.
    other.child.stdin.write(`${JSON.stringify({ ...write, id: "v" })}\n`);
    const second = (await events.until(
      (one) => one.type === "approval" && one.approval.toolCallId === "v" && one.approval.unattended !== true,
    )) as typeof event & { approval: typeof approval };
    await page.post(`/api/approvals/${second.approval.approvalId}`, { decision: "deny" });
    expect(await other.line()).toMatchObject({ toolCallId: "v", kind: "blocked" });
    other.child.stdin.end();
    await once(other.child, "close");
    await events.until((one) => one.type === "run" && one.run.state === "closed");
    // To look leaves nothing on this machine.
    expect(existsSync(join(parent, "one")) ? readdirSync(join(parent, "one")) : []).not.toContain("haft.db");
    inspector.child.kill("SIGINT");
    expect(await once(inspector.child, "close")).toEqual([130, null]);
  });
});
