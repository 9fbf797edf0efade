import { contentToText } from "@haft/core";
import { createMemoryApprovals, type Session } from "@haft/core/kernel";
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";

const before = process.env["HAFT_ADMIN_POLICY"];
afterEach(() => {
  if (before === undefined) delete process.env["HAFT_ADMIN_POLICY"];
  else process.env["HAFT_ADMIN_POLICY"] = before;
});

async function aHost(workspaceDir: string, options: HostOptions = {}) {
  const host = await createHost({ workspaceDir, stateDir: getStateFolder(workspaceDir), ...options });
  onTestFinished(() => host.close());
  return host;
}

const touch = (session: Session, id: string) =>
  session.call({ id, name: "exec", arguments: { command: "touch made" } });

test.each([
  ["20.20.2", true],
  ["22.17.1", true],
  ["22.18.0", false],
  ["26.0.0", false],
])("on Node %s a host is created or names the Node that it needs", async (node, isTooOld) => {
  const { versions } = process;
  Object.defineProperty(process, "versions", { value: { ...versions, node } });
  onTestFinished(() => void Object.defineProperty(process, "versions", { value: versions }));
  const making = aHost(await temporaryFolder());
  if (isTooOld)
    await expect(making).rejects.toMatchObject({
      code: "RUNTIME_TOO_OLD",
      message: `This is Node ${node}; Haft needs 22.18 or newer.`,
    });
  else await expect(making).resolves.toBeDefined();
});

describe("the shell of exec", () => {
  const ran = async (options: HostOptions, command = "echo {a,b}") => {
    const host = await aHost(await temporaryFolder(), options);
    const session = await host.openSession();
    const outcome = await session.call({ id: "1", name: "exec", arguments: { command } });
    if (outcome.kind !== "ok") throw new Error(outcome.kind);
    const told = session.tools().find(({ name }) => name === "exec")?.description;
    return { text: contentToText(outcome.content), ...(outcome.details as { shell?: string }), told };
  };

  test.each([
    [{}, "a b", "bash"],
    [{ shell: "bash" }, "a b", "bash"],
    [{ shell: "sh" }, "{a,b}", "sh"],
    // Who has chosen one for all scripts has chosen it for these, and no answer says which.
    [{ processes: { shell: "bash" } }, "a b", undefined],
    [{ processes: { shell: "dash" } }, "{a,b}", undefined],
    [{ shell: "bash", processes: { shell: "dash" } }, "a b", "bash"],
    [{ shell: "sh", processes: { shell: "bash" } }, "{a,b}", "sh"],
  ] as const)("%j", async (options, text, shell) => {
    const { told, ...answer } = await ran(options);
    expect(answer).toMatchObject({ text, ...(shell === undefined ? {} : { shell }) });
    expect("shell" in answer).toBe(shell !== undefined);
    expect(told?.includes("in bash")).toBe(shell === "bash");
  });

  test("refuses other shells", async () => {
    const zsh = { shell: "zsh" } as unknown as HostOptions;
    await expect(createHost(zsh)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });
});

test("limits a permanent grant to its shell", async () => {
  const cwd = await temporaryFolder();
  const approvals = createMemoryApprovals();
  const opened = async (options: HostOptions) =>
    (await aHost(cwd, { approvals, ...options })).openSession({ kind: "group", sessionKey: "room" });
  for (const shell of ["sh", "bash"] as const) {
    // In bash it is asked again: what was allowed was for the other.
    const session = await opened(shell === "bash" ? {} : { shell });
    const pending = await touch(session, "1");
    if (pending.kind !== "pending") throw new Error(pending.kind);
    expect(pending.details["prompt"]).toContain(`Shell: ${shell}`);
    expect((await session.resolveApproval(pending.approvalId, "allow-always")).kind).toBe("ok");
  }
  const grants = await approvals.grants({ agentId: "main", sessionKey: "room" });
  expect(grants.map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/touch made.*, in sh$/) as string,
    expect.stringMatching(/touch made.*, in bash$/) as string,
  ]);
  expect((await touch(await opened({ approvalMode: "deny" }), "1")).kind).toBe("ok");
});

test("a permanent grant applies in the next host, for the same conversation only", async () => {
  const cwd = await temporaryFolder();
  const first = await aHost(cwd);
  const session = await first.openSession({ kind: "group", sessionKey: "room-1" });
  const pending = await touch(session, "1");
  if (pending.kind !== "pending") throw new Error(pending.kind);
  expect((await session.resolveApproval(pending.approvalId, "allow-always")).kind).toBe("ok");
  await first.close();
  const second = await aHost(cwd, { approvalMode: "deny" });
  const kindIn = async (sessionKey?: string) => {
    const opened = await second.openSession({
      kind: "group",
      ...(sessionKey === undefined ? {} : { sessionKey }),
    });
    return (await touch(opened, "1")).kind;
  };
  expect(await kindIn("room-1")).toBe("ok");
  expect(await kindIn("room-2")).toBe("blocked");
  expect(await kindIn()).toBe("blocked");
});

test("group sessions without a key share no grants, even in the same room", async () => {
  const host = await aHost(await temporaryFolder());
  const open = (groupId: string) => host.openSession({ kind: "group", messageChannel: "chat", groupId });
  const first = await open("room-1");
  const pending = await touch(first, "1");
  if (pending.kind !== "pending") throw new Error(pending.kind);
  await first.resolveApproval(pending.approvalId, "allow-always");
  expect((await touch(first, "2")).kind).toBe("ok");
  for (const groupId of ["room-1", "room-2"]) {
    expect((await touch(await open(groupId), "1")).kind).toBe("pending");
  }
});

test("sessions without a key have unique names across processes", async () => {
  const cwd = await temporaryFolder();
  const keys = await Promise.all(
    [await aHost(cwd), await aHost(cwd)].map(async (host) => (await host.openSession()).key),
  );
  expect(new Set(keys).size).toBe(2);
});

test("every known option is accepted", async () => {
  const host = await aHost(await temporaryFolder(), {
    plugins: [],
    boundary: { deny: ["*.pem"], hardLinks: "allow" },
    approvalMode: "deny",
    hooks: [],
    loopGuard: false,
    deadlineMs: 0,
    factoryTimeoutMs: 5_000,
    sandbox: { workspaceAccess: "ro", limits: { tasks: 5 } },
  });
  const session = await host.openSession({
    kind: "group",
    sender: { id: "1" },
    model: { name: "m" },
    parent: (await host.openSession()).facts,
  });
  expect(session.facts.parent).toMatchObject({ kind: "main" });
});

test("a given store replaces the store in the folder", async () => {
  const cwd = await temporaryFolder();
  const approvals = createMemoryApprovals();
  const session = await (await aHost(cwd, { approvals })).openSession({ kind: "group" });
  await touch(session, "1");
  expect(await approvals.requests()).toHaveLength(1);
});

test("facts of a session reach the rules", async () => {
  const host = await aHost(await temporaryFolder(), {
    policy: {
      groups: { g1: { deny: ["ls"] } },
      senders: { "id:7": { deny: ["find"] } },
      channels: { chat: { deny: ["grep"] } },
    },
  });
  const session = await host.openSession({ groupId: "g1", sender: { id: "7" }, messageChannel: "chat" });
  expect(
    session
      .missing()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["find", "grep", "ls"]);
  const child = await host.openSession({ parent: session.facts });
  expect(
    child
      .missing()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["find", "grep", "ls"]);
});

test("the administrator's rules apply by file, environment and option, and false disables them", async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, "admin.yaml");
  await writeFile(file, "deny: [write]\n");
  process.env["HAFT_ADMIN_POLICY"] = file;
  const missing = async (options: HostOptions) => {
    const session = await (await aHost(cwd, options)).openSession();
    return session.missing().map(({ name, reason }) => [name, reason.includes(file)]);
  };
  expect(await missing({ policy: { sessions: { main: { grant: ["write"] } } } })).toEqual([["write", true]]);
  expect(await missing({ administratorPolicy: false })).toEqual([]);
  expect(await missing({ administratorPolicy: { config: { deny: ["ls"] }, source: "mine" } })).toEqual([
    ["ls", false],
  ]);
  await writeFile(file, "");
  await expect(aHost(cwd)).rejects.toMatchObject({ code: "POLICY_UNREADABLE" });
  process.env["HAFT_ADMIN_POLICY"] = join(cwd, "missing.yaml");
  await expect(aHost(cwd)).rejects.toMatchObject({ code: "POLICY_UNREADABLE" });
  process.env["HAFT_ADMIN_POLICY"] = "";
  expect(await missing({})).toEqual([]);
});

test.for([
  ["createHost", { polcy: {} }, /Did you mean policy/],
  ["createHost", { boundary: { denny: ["x"] } }, /boundary has no option "denny"\. Did you mean deny/],
  ["createHost", { approvalMode: "denied" }, /one of "wait", "pending", "deny"/],
  ["createHost", { sandbox: { acess: "ro" } }, /sandbox has no option "acess"/],
  ["openSession", { parentSession: {} }, /Did you mean parent/],
  ["openSession", { kind: "gruop" }, /Did you mean group/],
  ["openSession", { sandbox: { networks: "none" } }, /Did you mean network\?/],
  ["openSession", { sandbox: { backend: "dokcer" } }, /Did you mean docker/],
  ["openSession", { sandbox: { limits: { memory: 5 } } }, /Did you mean memoryMb/],
  ["openSession", { sandbox: true }, /takes an object of options/],
  ["preview", { groupID: "x", chanel: "y" }, /Did you mean groupId/],
  ["preview", null, /received null/],
] as const)("%s %j: refuses options that would be ignored", async ([where, options, message]) => {
  const workspaceDir = await temporaryFolder();
  const given = options as object;
  const host = where === "createHost" ? undefined : await aHost(workspaceDir);
  const made =
    host === undefined
      ? createHost({ workspaceDir, ...given })
      : where === "preview"
        ? host.preview(given)
        : host.openSession(given);
  await expect(made).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
    message: expect.stringMatching(message),
  });
});

test("plugins that cannot be read are reported and do not affect other tools", async () => {
  const hostile = {
    get source(): never {
      throw new Error("no");
    },
  };
  const old = { id: "old", contract: 0, tools: [{ names: ["old_tool"], factory: () => null }] };
  const plugins = [undefined, null, hostile, old] as unknown as HostOptions["plugins"] & object;
  const host = await aHost(await temporaryFolder(), { plugins, logger: { ...console, warn: () => {} } });
  expect(host.diagnostics.map(({ code }) => code)).toEqual([
    "PLUGIN_INVALID",
    "PLUGIN_INVALID",
    "PLUGIN_INVALID",
    "CONTRACT_UNKNOWN",
  ]);
  const session = await host.openSession();
  expect(session.tools().map(({ name }) => name)).toContain("read");
  expect(await session.explain("old_tool")).toMatchObject({ verdict: "broken" });
  expect(await session.explain("new_tool")).toMatchObject({
    reason: expect.stringContaining("No plugin that could be read registered") as string,
  });
});

test("rejects an empty workspace folder, which would open the current folder", async () => {
  await expect(createHost({ workspaceDir: "", stateDir: false })).rejects.toMatchObject({
    code: "INVALID_OPTIONS",
    message: expect.stringContaining("workspaceDir"),
  });
});

describe("pending approvals of all sessions", () => {
  const write = (session: Session, id: string) =>
    session.call({ id, name: "write", arguments: { path: "a.txt", content: id } });

  test("are listed oldest first, also by another host before a session is opened", async () => {
    const folder = await temporaryFolder();
    const options: HostOptions = { policy: { ask: ["write"] } };
    const host = await aHost(folder, options);
    expect(await host.pendingApprovals()).toEqual([]);
    const calls: [string, string][] = [];
    for (const sessionKey of ["one", "two"]) {
      const session = await host.openSession({ sessionKey });
      expect(await write(session, sessionKey)).toMatchObject({ kind: "pending" });
      calls.push([sessionKey, sessionKey]);
    }
    const facts = (all: readonly { sessionKey: string; toolCallId: string }[]) =>
      all.map(({ sessionKey, toolCallId }) => [sessionKey, toolCallId]);
    expect(facts(await host.pendingApprovals())).toEqual(calls);
    await host.close();
    const next = await aHost(folder, options);
    expect(facts(await next.pendingApprovals())).toEqual(calls);
  });

  test("are listed without a state folder, and no longer after the answer", async () => {
    const host = await aHost(await temporaryFolder(), { policy: { ask: ["write"] }, stateDir: false });
    const session = await host.openSession();
    await write(session, "1");
    const [request, ...others] = await host.pendingApprovals();
    expect(others).toEqual([]);
    await session.resolveApproval(request!.approvalId, "deny");
    expect(await host.pendingApprovals()).toEqual([]);
  });

  test("reject if the store cannot be read", async () => {
    const approvals = Object.assign(createMemoryApprovals(), {
      requests: () => Promise.reject(new Error("the disk is gone")),
    });
    const host = await aHost(await temporaryFolder(), { approvals });
    await expect(host.pendingApprovals()).rejects.toThrow("the disk is gone");
  });
});

test("warns at start about a state folder that cannot be written", async ({ skip }) => {
  const folder = await temporaryFolder();
  const mounted = join(folder, "read-only");
  await mkdir(mounted);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "none", mounted]).status !== 0)
    skip("Nothing can be mounted.");
  onTestFinished(() => void spawnSync("umount", [mounted]));
  const warningsFor = async (stateDir: string): Promise<string[]> => {
    const warnings: string[] = [];
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: (message: string) => void warnings.push(message),
    };
    await aHost(folder, { stateDir, logger });
    return warnings.filter((message) => message.startsWith("The state folder cannot be written"));
  };
  expect(await warningsFor(join(folder, "new/state"))).toEqual([]);
  expect(await warningsFor(join(mounted, "new/state"))).toEqual([
    expect.stringMatching(
      /read-only: it is on a file system that is read-only.*Set stateDir or HAFT_STATE_DIR/,
    ),
  ]);
});
