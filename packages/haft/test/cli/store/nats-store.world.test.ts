import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { NATS_SERVER, startNats, type TestServer } from "../../../../store/test/nats/support/nats-server.ts";
import { connectRawClient } from "../../../../store/test/nats/support/raw-client.ts";
import { type Finished, haftHere } from "../../support/haft.ts";

/** Two machines, as far as one can be two: a state folder each, and one workspace, which they share. */
async function twoMachines(server: TestServer, more = "") {
  const parent = await temporaryFolder();
  const cwd = join(parent, "work");
  mkdirSync(cwd);
  writeFileSync(join(parent, "seal"), randomBytes(32));
  const prefix = `t${randomBytes(6).toString("hex")}`;
  const config = join(parent, "haft.config.yaml");
  const nats = `{ servers: "${server.url}", prefix: ${prefix}, sealKeyFile: ./seal }`;
  writeFileSync(config, `store: nats\nnats: ${nats}\npolicy: { ask: [write] }\n${more}`);
  const on = (machine: string) => (args: readonly string[], input?: string) => {
    const env = { HAFT_STATE_DIR: join(parent, machine), HAFT_CONFIG: config, XDG_CONFIG_HOME: parent };
    return haftHere(args, { cwd, env, ...(input !== undefined && { input }) });
  };
  const hasFile = (machine: string) => existsSync(join(parent, machine, "haft.db"));
  return { cwd, parent, config, prefix, one: on("one"), other: on("other"), kept: hasFile };
}

const WRITE = JSON.stringify({ id: "w", name: "write", arguments: { path: "a.txt", content: "x\n" } });

describe.skipIf(NATS_SERVER === undefined)("a store on the server of the configuration", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.stop());

  test("moves a pending call between machines once, and leaves the state folder empty", async () => {
    const { cwd, one, other, kept } = await twoMachines(server);
    const [pending] = (await one(["run", "--json"], WRITE)).lines();
    expect(pending).toMatchObject({ kind: "pending", code: expect.any(String) as string });
    const { approvalId } = pending as { approvalId: string };
    expect((await other(["approvals"])).stdout).toMatch(new RegExp(`${approvalId}[^]*haft run --resume`));
    const answered = await other(["approvals", "answer", approvalId, "allow-once"]);
    expect(answered).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("haft run --resume") as string,
    });
    const resumed = await other(["run", "--resume", "--json"], "");
    expect(resumed.lines()).toEqual([
      expect.objectContaining({ toolCallId: "w", kind: "ok", resumed: true }),
    ]);
    expect(existsSync(join(cwd, "a.txt"))).toBe(true);
    // From either, by the beginning of its id, too.
    const run = runOf(await one(["ledger", "--json"]));
    expect((await one(["ledger", "show", run.slice(0, 12), "w"])).stdout).toMatch(/a\.txt/);
    expect((await one(["run", "--resume", run.slice(0, 17)], "")).stderr).toContain(`Continuing run ${run}`);
    expect(await one(["ledger", "check"])).toMatchObject({ code: 0, stdout: "The records are intact.\n" });
    expect([kept("one"), kept("other")]).toEqual([false, false]);
    expect((await other(["ledger", "--no-config"])).stdout).toMatch(/Nothing is recorded in .*other/);
    expect((await other(["approvals", "--no-config"])).stdout).toBe("No call waits for approval.\n");
    // The change is undone where its files are; that is in the ledger of all.
    expect((await other(["undo", run, "--to", "w"])).stdout).toMatch(/D a\.txt[^]*haft undo/);
    expect((await other(["ledger", "--all"])).stdout).toMatch(/rewind_1 +rewind/);
    expect((await other(["ledger", "forget", "--run", run, "--yes"])).stdout).toMatch(/Forgot 1 call/);
  });

  test("is part of suggested commands if the configuration is named", async () => {
    const { config, one, other } = await twoMachines(server);
    const args = ["--config", config];
    await one(["run", "--json", ...args], WRITE);
    const { stdout } = await other(["approvals", ...args]);
    expect(stdout).toMatch(/haft approvals answer \w+ allow-once --config \S+haft\.config\.yaml/);
    expect(stdout).toMatch(/haft run --resume \w+.* --config \S+haft\.config\.yaml/);
  });

  test("sends one notification per pending call of all hosts, and shows failures on all of them", async () => {
    const notices = (folder: string) =>
      `approvals: { notify: [{ command: [sh, -c, "echo x >> ${folder}/told; exit 3"] }] }`;
    const parent = await temporaryFolder();
    const { one, other } = await twoMachines(server, notices(parent));
    await one(["run", "--json"], WRITE);
    await other(["run", "--resume", "--json"], "");
    const { stderr } = await other(["approvals"]);
    expect(stderr).toMatch(/\(sh\) was not notified of \w+: it ended with code 3/);
    expect(readFileSync(join(parent, "told"), "utf8")).toBe("x\n");
  });

  test("shows background commands to a host that continues the run elsewhere", async () => {
    const { one, other } = await twoMachines(server);
    const start = { id: "s", name: "exec", arguments: { command: "sleep 30", background: true } };
    const [started] = (await one(["run", "--json"], JSON.stringify(start))).lines();
    expect(started).toMatchObject({ kind: "ok" });
    const list = JSON.stringify({ id: "l", name: "process", arguments: { action: "list" } });
    const [listed] = (await other(["run", "--resume", "--json"], list)).lines();
    expect(listed.content[0].text).toMatch(/sleep 30/);
  });

  test("reports problems of the server without repairing them", async () => {
    const { one, prefix } = await twoMachines(server);
    await one(["run", "--json"], WRITE);
    const raw = await connectRawClient(server);
    await raw.write(`${prefix}_approvals`, "request.broken12", "nothing of ours");
    expect(await one(["ledger", "check"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("STORE_CORRUPT"),
    });
    const { code, stderr } = await one(["ledger", "check", "--repair"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("on a NATS server") });
  });

  test("records no replayed calls and sends no notifications about them", async () => {
    const { one } = await twoMachines(server, "record: full\n");
    await one(["run", "--json"], JSON.stringify({ id: "r", name: "ls", arguments: { path: "." } }));
    const before = (await one(["ledger", "--all", "--json"])).stdout;
    expect((await one(["ledger", "replay", runOf(await one(["ledger", "--json"]))])).code).toBe(0);
    expect((await one(["ledger", "--all", "--json"])).stdout).toBe(before);
  });

  test("blocks changes with a fix if the server is missing", async () => {
    const { cwd, one, config } = await twoMachines(server);
    writeFileSync(config, "store: nats\nnats: { servers: 'nats://u:hunter22@127.0.0.1:1' }\n");
    for (const args of [["approvals"], ["ledger"], ["ledger", "check"], ["undo", "last", "--to", "w"]]) {
      const { code, stderr } = await one(args);
      expect({ args, code, stderr }).toEqual({
        args,
        code: 1,
        stderr: expect.stringContaining("127.0.0.1:1"),
      });
      expect(stderr).not.toContain("hunter22");
    }
    const [answer] = (await one(["run", "--json"], WRITE)).lines();
    expect(answer).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  });
});

test("is required if the configuration is unreadable", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "c.yaml"), "nats: { server: x }\n");
  for (const args of [["approvals"], ["ledger"]]) {
    const { code, stderr } = await haftHere([...args, "--config", "c.yaml"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/nats\.server: .*servers/),
    });
    const both = await haftHere([...args, "--config", "c.yaml", "--no-config"], { cwd });
    expect(both.code).toBe(2);
  }
});

function runOf(listed: Finished): string {
  return (listed.lines()[0] as { calls: { runId: string }[] }).calls[0]!.runId;
}
