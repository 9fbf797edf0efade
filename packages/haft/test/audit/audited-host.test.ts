import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { haftCommand } from "../../../../test/support/build-under-test.ts";
import { type AuditEntry, readAuditLog } from "../../src/index.ts";
import {
  openHostIn,
  createFaultWorkspace,
  readEffects,
  createNoteCall,
  type FaultWorkspace,
  readRecords,
} from "../durability/faults/faulty-host.ts";
import { canMount } from "../durability/faults/small-disk.ts";
import { haft, type Line } from "../support/haft.ts";

const SECRET = "sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH";

async function entriesIn(file: string): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const item of readAuditLog(file)) {
    if ("problem" in item) throw new Error(item.problem);
    entries.push(item.entry);
  }
  return entries;
}

const logOf = ({ stateDir }: FaultWorkspace) => join(`${stateDir}-log`, "calls.jsonl");

async function audited(options: Parameters<typeof openHostIn>[1] = {}) {
  const place = await createFaultWorkspace();
  const file = logOf(place);
  onTestFinished(() => rmSync(join(file, ".."), { recursive: true, force: true }));
  const { host, said } = await openHostIn(place, { audit: { file }, ...options });
  return { place, file, host, said };
}

describe("an audit log that cannot be written", () => {
  test("prevents sessions with a reason; commands without a session still work", async () => {
    const { host, file } = await audited();
    mkdirSync(join(file, ".."), { mode: 0o777 });
    chmodSync(join(file, ".."), 0o777);
    await expect(host.openSession()).rejects.toMatchObject({
      code: "LEDGER_UNAVAILABLE",
      message: expect.stringContaining(`${file} cannot be written`),
    });
    expect((await host.preview()).tools().length).toBeGreaterThan(5);
    chmodSync(join(file, ".."), 0o700);
    await (await host.openSession()).close();
  });

  test("blocks changes later but not reads, and receives all entries once it works again", async () => {
    const { host, file, place, said } = await audited();
    const session = await host.openSession();
    const events: string[] = [];
    session.subscribe((event) => event.type === "ledger" && void events.push(event.store));
    expect(await session.call(createNoteCall("1"))).toMatchObject({ kind: "ok" });
    rmSync(file);
    symlinkSync("elsewhere", file);
    expect(await session.call(createNoteCall("2"))).toMatchObject({
      kind: "error",
      code: "LEDGER_UNAVAILABLE",
      receipt: "none",
      content: [{ text: expect.stringMatching(/audit log .* cannot be written: it is a link/) }],
    });
    expect(await session.call({ id: "3", name: "ls" })).toMatchObject({ kind: "ok" });
    expect(readEffects(place)).toEqual(["1"]);
    expect(said.join("\n")).toMatch(/audit log/);
    rmSync(file);
    expect(await session.call(createNoteCall("4"))).toMatchObject({ kind: "ok" });
    await session.close();
    expect(events).toEqual(["failed", "back"]);
    const lines = (await entriesIn(file)).map(({ toolCallId, status }) => `${toolCallId} ${status}`);
    expect(lines).toEqual(expect.arrayContaining(["2 failed", "3 completed", "4 executing", "4 completed"]));
    expect(new Set(lines).size).toBe(lines.length);
  });

  test("does not block calls with record-later, and receives the entries later", async () => {
    const { host, file, place } = await audited({ onStoreFault: "record-later" });
    const session = await host.openSession();
    await session.call(createNoteCall("1"));
    rmSync(file);
    symlinkSync("elsewhere", file);
    expect(await session.call(createNoteCall("2"))).toMatchObject({ kind: "ok" });
    expect(readEffects(place)).toEqual(["1", "2"]);
    rmSync(file);
    await session.close();
    expect((await entriesIn(file)).filter(({ toolCallId }) => toolCallId === "2").at(-1)).toMatchObject({
      status: "completed",
    });
  });

  test.runIf(canMount)("blocks changes in the same way on a full disk, without torn lines", async () => {
    const place = await createFaultWorkspace();
    const folder = join(place.cwd, "../", `${place.cwd.split("/").at(-1)}-disk`);
    mkdirSync(folder);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(place.stateDir, { mode: 0o700 });
    writeFileSync(
      join(place.stateDir, "haft.config.json"),
      JSON.stringify({ audit: { file: join(folder, "log") } }),
    );
    const script = `mount -t tmpfs -o size=64k,mode=700 none "$0" && exec "$@"`;
    const config = join(place.stateDir, "haft.config.json");
    const child = spawn(
      "unshare",
      [
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        folder,
        ...haftCommand,
        "run",
        "--json",
        "--config",
        config,
      ],
      {
        cwd: place.cwd,
        env: {
          ...process.env,
          HAFT_STATE_DIR: `${place.stateDir}-own`,
          HAFT_POLICY: "",
          HAFT_ADMIN_POLICY: "",
        },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    onTestFinished(() => {
      child.kill("SIGKILL");
      rmSync(`${place.stateDir}-own`, { recursive: true, force: true });
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const call = async (value: object): Promise<Line> => {
      child.stdin.write(`${JSON.stringify(value)}\n`);
      return JSON.parse((await answers.next()).value ?? "{}");
    };
    const disk = `/proc/${child.pid}/root${folder}`;
    expect(await call(createNoteCall("first"))).toMatchObject({ kind: "ok" });
    const filler = openSync(join(disk, "other"), "w");
    try {
      for (;;) writeSync(filler, Buffer.alloc(4096));
    } catch {
      closeSync(filler);
    }
    // What is left of the last block of the log is still to be filled.
    let answer: Line;
    const ran = ["first"];
    for (let count = 0; count < 20; count++) {
      answer = await call(createNoteCall(`then-${count}`));
      if (answer.kind !== "ok") break;
      ran.push(`then-${count}`);
    }
    expect(answer).toMatchObject({ kind: "error", code: "LEDGER_UNAVAILABLE", receipt: "none" });
    expect(answer.content[0].text).toMatch(/audit log .*the disk is full/s);
    expect(readEffects(place)).toEqual(ran);
    rmSync(join(disk, "other"));
    expect(await call(createNoteCall("after"))).toMatchObject({ kind: "ok" });
    const lines = readFileSync(join(disk, "log"), "utf8")
      .split("\n")
      .filter((line) => line !== "");
    const whole = lines.filter((line) => line.endsWith("}"));
    expect(lines.length - whole.length).toBeLessThanOrEqual(2);
    expect(whole.map((line) => (JSON.parse(line) as AuditEntry).toolCallId)).toEqual(
      expect.arrayContaining([...ran, "after"]),
    );
    const ended = once(child, "close");
    child.stdin.end();
    await ended;
  });
});

describe("the content of an audit log", () => {
  test("matches the ledger: decision, rule and outcome", async () => {
    const { host, file, place } = await audited({ policy: { deny: ["grep"] } });
    const session = await host.openSession({ sessionKey: "talk", sender: { id: "u1" } });
    await session.call({ id: "1", name: "write", arguments: { path: "a", content: `key ${SECRET}` } });
    await session.call({ id: "2", name: "grep", arguments: { pattern: "x" } });
    await session.call({ id: "3", name: "read", arguments: { path: "a" } });
    await session.close();
    const entries = await entriesIn(file);
    expect(
      entries.map(({ toolCallId, status, outcome, receipt }) => [toolCallId, status, outcome, receipt]),
    ).toEqual([
      ["1", "executing", undefined, undefined],
      ["1", "completed", "ok", "committed"],
      ["2", "failed", "blocked", "none"],
      ["3", "completed", "ok", "none"],
    ]);
    expect(entries[1]).toMatchObject({
      audit: 1,
      pid: process.pid,
      sessionKey: "talk",
      session: { kind: "main", sender: { id: "u1" } },
    });
    expect(entries[1]?.args).toMatchObject({ path: "a" });
    expect(entries[2]).toMatchObject({ code: "POLICY_DENIED" });
    expect(readFileSync(file, "utf8")).not.toContain(SECRET.slice(0, 30));
    const { runId, sessionKey, ...stored } = (await readRecords(place))[0] as unknown as Record<
      string,
      unknown
    >;
    expect({ ...entries[1] }).toMatchObject({ ...stored, runId, sessionKey });
  });

  test("masks secrets of a pending call, although the ledger stores them", async () => {
    const { host, file } = await audited({ policy: { ask: ["write"] } });
    const session = await host.openSession();
    const outcome = await session.call({
      id: "1",
      name: "write",
      arguments: { path: "a", content: `key ${SECRET}` },
    });
    expect(outcome).toMatchObject({ kind: "pending" });
    const [waiting] = await entriesIn(file);
    expect(waiting).toMatchObject({ status: "pending", approvalId: expect.any(String), args: { path: "a" } });
    expect(waiting).not.toHaveProperty("received");
    expect(readFileSync(file, "utf8")).not.toContain(SECRET.slice(0, 30));
  });

  test("is the same with record: full and record: plan", async () => {
    const { host, file } = await audited({ record: "full" });
    const session = await host.openSession();
    writeFileSync(join(host.workspace.describe().cwd, "long"), "line\n".repeat(2_000));
    await session.call({ id: "1", name: "read", arguments: { path: "long" } });
    await session.close();
    expect((await entriesIn(file))[0]?.result).toEqual({
      bytes: expect.any(Number),
      sha256: expect.any(String),
      head: expect.any(String),
      tail: expect.any(String),
    });
  });
});

test("rejects an audit log if the host records nothing", async () => {
  const place = await createFaultWorkspace();
  await expect(
    openHostIn(
      { ...place, stateDir: undefined as never },
      { stateDir: false, audit: { file: logOf(place) } },
    ),
  ).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
    message: expect.stringContaining("records nothing"),
  });
});

test.each([
  [{ file: "log", bytes: "much" }, /audit\.bytes/],
  [{ file: "log", files: 0 }, /files/],
  [{ bytes: 5 }, /file/],
])("rejects the settings %j", async (audit, why) => {
  await expect(openHostIn(await createFaultWorkspace(), { audit: audit as never })).rejects.toThrow(why);
});

test("protects the log and its old files from sessions and sandboxes at any path", async () => {
  const place = await createFaultWorkspace();
  const file = join(place.cwd, "log/calls.jsonl");
  const { host } = await openHostIn(place, { audit: { file } });
  const session = await host.openSession();
  await session.call({ name: "write", arguments: { path: "a", content: "1" } });
  for (const path of ["log/calls.jsonl", "log/calls.jsonl.1"]) {
    expect(await session.call({ name: "read", arguments: { path } })).toMatchObject({ kind: "error" });
    expect(await session.call({ name: "write", arguments: { path, content: "" } })).toMatchObject({
      kind: "error",
    });
  }
  await session.close();
  const sandbox = { backend: "bubblewrap", workspaceAccess: "rw" } as const;
  await expect(host.openSession({ sandbox })).rejects.toMatchObject({ code: "SANDBOX_MOUNT_REFUSED" });
  expect((await entriesIn(file)).length).toBeGreaterThan(4);
});

test("ignores audit settings of a workspace, and explains why no session opens", async () => {
  const place = await createFaultWorkspace();
  writeFileSync(join(place.cwd, "haft.config.yaml"), "audit: { file: mine.jsonl }\n");
  expect((await haft(["tools", "call", "ls"], { cwd: place.cwd })).code).toBe(0);
  const config = join(place.stateDir, "operator.yaml");
  writeFileSync(config, "audit: { file: sub/log, bytes: 1 MB, files: 3 }\n");
  writeFileSync(join(place.stateDir, "sub"), "a file");
  const { code, stderr } = await haft(
    ["tools", "call", "ls", "--config", config, "--state", `${place.stateDir}/own`],
    { cwd: place.cwd },
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/audit log .*sub\/log cannot be written: .*\n.*\[LEDGER_UNAVAILABLE\]/);
  expect(spawnSync("ls", [place.cwd], { encoding: "utf8" }).stdout).not.toContain("mine.jsonl");
});
