import { createHost } from "@haft/host";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { sampleRequest } from "../../../../core/test/support/approval-samples.ts";
import { createTestNotifier, startReceiver } from "../../../../host/test/approvals/notify/support.ts";
import { haftHere } from "../../support/haft.ts";

async function aScript(body: string) {
  const path = join(await temporaryFolder(), "told.sh");
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

describe("a failed notification", () => {
  test("is logged once until it works again, and is stored for each request", async () => {
    let status = 500;
    const server = await startReceiver((_, response) => response.writeHead(status).end());
    const { notifier, warnings, book } = createTestNotifier([{ url: server.url }]);
    const ids = ["fail1111", "fail2222", "good3333", "fail4444"];
    for (const id of ids) {
      status = id.startsWith("good") ? 200 : 500;
      notifier.notify(sampleRequest(id));
      await notifier.close();
    }
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("it answered with HTTP 500");
    expect((await book.list(ids)).map(({ state }) => state)).toEqual(["failed", "failed", "told", "failed"]);
  });

  test("times out if a server never answers", async () => {
    const server = await startReceiver(() => {});
    const { notifier, warnings } = createTestNotifier([{ url: server.url }], { withinMs: 50 });
    notifier.notify(sampleRequest("late1234"));
    await notifier.close();
    expect(warnings[0]).toContain("it did not answer in time");
  });

  test("times out if an answer never ends", async () => {
    const server = await startReceiver((_, response) => void response.writeHead(200).write("x"));
    const { notifier, book } = createTestNotifier([{ url: server.url }]);
    notifier.notify(sampleRequest("long1234"));
    await notifier.close();
    expect(await book.list(["long1234"])).toMatchObject([{ state: "told" }]);
  });

  test("kills a command that does not end, with its child processes", async () => {
    const pids = join(await temporaryFolder(), "pids");
    const script = await aScript(`sleep 600 & echo $! $$ > ${pids}; wait`);
    const { notifier, warnings } = createTestNotifier([{ command: [script] }], { withinMs: 1_500 });
    notifier.notify(sampleRequest("hang1234"));
    await notifier.close();
    expect(warnings[0]).toContain("was killed");
    for (const pid of (await readFile(pids, "utf8")).trim().split(" "))
      await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });

  test.for([
    ["exit 3", "it ended with code 3"],
    ["echo 'no display' >&2; exit 1", "it ended with code 1: no display"],
    ["kill -9 $$", "it was ended by SIGKILL"],
  ])("reports a failed command: %s", async ([body, why]) => {
    const { notifier, warnings } = createTestNotifier([{ command: [await aScript(body!)] }]);
    notifier.notify(sampleRequest("fail1234"));
    await notifier.close();
    expect(warnings[0]).toContain(why);
  });

  test("reports a missing program", async () => {
    const { notifier, warnings } = createTestNotifier([{ command: ["haft-no-such-program"] }]);
    notifier.notify(sampleRequest("none1234"));
    await notifier.close();
    expect(warnings[0]).toContain("the program haft-no-such-program is not installed");
  });

  test("does not prevent other notifications", async () => {
    const server = await startReceiver();
    const { notifier } = createTestNotifier([{ command: ["haft-no-such-program"] }, { url: server.url }]);
    notifier.notify(sampleRequest("both1234"));
    await notifier.close();
    expect(server.posted).toHaveLength(1);
  });
});

test("sends each request once, even if several hosts report it", async () => {
  const server = await startReceiver();
  const { notifier, book } = createTestNotifier([{ url: server.url }]);
  notifier.notify(sampleRequest("once1234"));
  await notifier.close();
  // As another process with the same state has it, after a resume.
  const other = createTestNotifier([{ url: server.url }], { notices: () => book });
  other.notifier.notify(sampleRequest("once1234"));
  notifier.notify(sampleRequest("once1234"));
  await Promise.all([notifier.close(), other.notifier.close()]);
  expect(server.posted).toHaveLength(1);
});

test("sends as many notifications as time allows, and stores the others as not sent", async () => {
  let atOnce = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const server = await startReceiver((_, response) => {
    most = Math.max(most, ++atOnce);
    waiting.push(() => {
      atOnce--;
      response.end();
    });
  });
  const { notifier, book, warnings } = createTestNotifier([{ url: server.url }], { withinMs: 500 });
  const ids = Array.from({ length: 300 }, (_, index) => `many${String(index).padStart(4, "0")}`);
  for (const id of ids) notifier.notify(sampleRequest(id));
  await notifier.close();
  for (const answer of waiting) answer();
  const records = await book.list(ids);
  expect(records).toHaveLength(ids.length);
  expect(records.every(({ state }) => state === "failed")).toBe(true);
  expect(most).toBeLessThanOrEqual(8);
  expect(warnings).toHaveLength(1);
});

test("notifies about pending calls of a host without delaying the calls", async () => {
  const open: (() => void)[] = [];
  const server = await startReceiver((_, response) => void open.push(() => response.end()));
  const workspaceDir = await temporaryFolder();
  const host = await createHost({
    workspaceDir,
    stateDir: false,
    administratorPolicy: false,
    policy: { ask: ["write"] },
    notify: [{ url: `${server.url}/told`, headers: { "x-key": "v" } }],
  });
  const session = await host.openSession({ sessionKey: "talk" });
  const pending = await session.call({ name: "write", arguments: { path: "a.txt", content: "x" } });
  expect(pending.kind).toBe("pending");
  // Nobody has answered it; the call is decided all the same.
  const [request] = session.pendingApprovals();
  const done = await session.resolveApproval(request!.approvalId, "allow-once");
  expect(done.kind).toBe("ok");
  await expect.poll(() => server.posted.length).toBe(1);
  expect(server.posted[0]).toMatchObject({ method: "POST", path: "/told", headers: { "x-key": "v" } });
  expect(JSON.parse(server.posted[0]!.body)).toMatchObject({
    approvalId: request!.approvalId,
    tool: "write",
    line: expect.stringContaining("write a.txt"),
  });
  for (const answer of open) answer();
  await host.close();
});

test("lists failed notifications in haft approvals", async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, "conf"));
  const settings = {
    policy: { ask: ["write"] },
    approvals: { notify: [{ command: ["haft-no-such-program"] }] },
  };
  await writeFile(join(cwd, "conf/c.yaml"), JSON.stringify(settings));
  const input = JSON.stringify({ name: "write", arguments: { path: "a.txt", content: "x" } });
  const pending = await haftHere(["run", "--json", "--config", "conf/c.yaml"], { cwd, input });
  const [{ approvalId }] = pending.lines();
  const { stderr } = await haftHere(["approvals"], { cwd });
  expect(stderr).toContain(
    `was not notified of ${approvalId}: the program haft-no-such-program is not installed`,
  );
});

test.for([
  [{ url: "http://notify.example.com/x" }, "use https:"],
  [{ url: "ftp://notify.example.com/x" }, "not an https: address"],
  [{ url: "https://a:b@notify.example.com/" }, "headers: Authorization"],
  [{ command: ["./told"] }, "absolute path"],
  [{ command: [] }, "command"],
  [{ command: ["told"], url: "https://notify.example.com/" }, "make two of them"],
  [{}, "neither a command nor a url"],
  [{ url: "https://notify.example.com/", headers: { "a b": "c" } }, "not a header"],
] as const)("rejects settings without a usable target: %j", async ([notify, why]) => {
  const options = { stateDir: false, administratorPolicy: false, notify: [notify] as never } as const;
  await expect(createHost(options)).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
    message: expect.stringContaining(why),
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
