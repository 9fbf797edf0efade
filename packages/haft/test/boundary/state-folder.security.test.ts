import { defaultStateFolder } from "@haft/config/internal/boundary";
import type { ToolOutcome } from "@haft/core";
import { type HostOptions, createHost } from "@haft/host";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openHost } from "../../../host/test/support/open-host.ts";
import { haftHere } from "../support/haft.ts";

beforeEach(() => {
  vi.stubEnv("HAFT_STATE_DIR", "");
  vi.stubEnv("XDG_STATE_HOME", "");
});
afterEach(() => vi.unstubAllEnvs());

describe("the location of the state folder", () => {
  test.each(["HAFT_STATE_DIR", "XDG_STATE_HOME", "HOME"])("must be absolute: %s", async (name) => {
    for (const path of ["state", ".", "./state", "../state"]) {
      vi.stubEnv(name, path);
      expect(() => defaultStateFolder()).toThrow(
        expect.objectContaining({ code: "PATH_RELATIVE", message: expect.stringContaining(name) }),
      );
      await expect(createHost({ administratorPolicy: false })).rejects.toMatchObject({
        code: "PATH_RELATIVE",
      });
    }
    vi.stubEnv(name, "/srv/state");
    expect(defaultStateFolder()).toMatch(/^\/srv\/state(?:$|\/)/);
  });

  test("is reported by the command line", async () => {
    const cwd = await temporaryFolder();
    const { code, stderr } = await haftHere(["tools", "call", "ls"], {
      cwd,
      env: { HAFT_STATE_DIR: ".state" },
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain("Give HAFT_STATE_DIR an absolute path.");
    expect(await readdir(cwd)).toEqual([]);
  });

  test("ignores an empty variable", async () => {
    await expect(createHost({ stateDir: "" })).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });
});

/** A group that may write, with a command that waits for approval. */
async function waiting(workspaceDir: string, options: HostOptions) {
  const host = await openHost({
    workspaceDir,
    policy: { sessions: { group: { grant: ["write", "effect:write"] } } },
    ...options,
  });
  const session = await host.openSession({ kind: "group" });
  let count = 0;
  const call = (name: string, args: object): Promise<ToolOutcome> =>
    session.call({ id: `call-${++count}`, name, arguments: args });
  const pending = await call("exec", { command: "touch ran" });
  if (pending.kind !== "pending") throw new Error(`It is ${pending.kind}.`);
  return { host, session, call, approvalId: pending.approvalId };
}

/** Every way of the file tools to it. */
async function attempts(
  call: (name: string, args: object) => Promise<ToolOutcome>,
  state: string,
  id: string,
): Promise<[string, ToolOutcome][]> {
  const answer = `${state}/approvals/answers/${id}.json`;
  const request = `${state}/approvals/requests/${id}.json`;
  const content = JSON.stringify({ decision: "allow-once" });
  const patch = `*** Begin Patch\n*** Add File: ${answer}\n+${content}\n*** End Patch`;
  const move = `*** Begin Patch\n*** Update File: planted.json\n*** Move to: ${answer}\n@@\n-${content}\n+${content} \n*** End Patch`;
  const tries: [string, object][] = [
    ["write", { path: answer, content }],
    ["write", { path: `${state}/approvals/grants/evil1234.json`, content }],
    ["write", { path: `${state}/journal/evil`, content }],
    ["write", { path: `${state}/compiled/evil`, content }],
    ["apply_patch", { input: patch }],
    ["apply_patch", { input: move }],
    ["read", { path: request }],
    ["edit", { path: request, edits: [{ oldText: "secret", newText: "public" }] }],
    ["ls", { path: `${state}/approvals/requests` }],
    ["ls", { path: state }],
    ["find", { pattern: "**", path: state }],
    ["grep", { pattern: "secret", path: state }],
  ];
  const outcomes: [string, ToolOutcome][] = [];
  for (const [name, args] of tries) outcomes.push([JSON.stringify([name, args]), await call(name, args)]);
  return outcomes;
}

describe("a command of an agent cannot answer an approval", () => {
  test.each([
    [
      "the default folder, in the home folder",
      async (workspace: string) => {
        vi.stubEnv("HOME", workspace);
        return { state: ".local/state/haft", options: {} };
      },
    ],
    [
      "an option",
      async (workspace: string) => ({
        state: ".haft (state)",
        options: { stateDir: join(workspace, ".haft (state)") },
      }),
    ],
    [
      "an option that is relative",
      async (workspace: string) => ({
        state: ".haft",
        options: { stateDir: relative(process.cwd(), join(workspace, ".haft")) },
      }),
    ],
    [
      "a variable",
      async (workspace: string) => {
        vi.stubEnv("HAFT_STATE_DIR", join(workspace, "state"));
        return { state: "state", options: {} };
      },
    ],
    [
      "a folder that is a link into the workspace",
      async (workspace: string) => {
        const elsewhere = await temporaryFolder();
        await mkdir(join(workspace, "kept"));
        await symlink(join(workspace, "kept"), join(elsewhere, "link"));
        return { state: "kept/haft", options: { stateDir: join(elsewhere, "link/haft") } };
      },
    ],
    [
      "beside the workspace, in the whole host",
      async () => {
        const elsewhere = await temporaryFolder();
        return {
          state: join(elsewhere, "state"),
          options: { stateDir: join(elsewhere, "state"), boundary: { workspaceOnly: false } },
        };
      },
    ],
    [
      "in another root, by way of links",
      async (workspace: string) => {
        const elsewhere = await temporaryFolder();
        await symlink(join(elsewhere, "state"), join(workspace, "harmless"));
        return {
          state: "harmless",
          options: {
            stateDir: join(elsewhere, "state"),
            roots: { other: { path: elsewhere, access: "rw" as const } },
          },
        };
      },
    ],
  ])("%s", async (_, prepare) => {
    const workspace = await temporaryFolder();
    const { state, options } = await prepare(workspace);
    const { session, call, approvalId } = await waiting(workspace, options);
    await writeFile(join(workspace, "planted.json"), JSON.stringify({ decision: "allow-once" }));
    for (const [what, { kind }] of await attempts(call, state, approvalId))
      expect([what, kind]).not.toEqual([what, "ok"]);
    const all = [
      await call("grep", { pattern: "secret", path: "." }),
      await call("find", { pattern: "**/*.json" }),
    ];
    for (const { content } of all) expect(JSON.stringify(content)).not.toContain(approvalId);
    expect(session.pendingApprovals()).toHaveLength(1);
    expect(await readdir(workspace)).not.toContain("ran");
  });

  test("of a host that stores nothing", async () => {
    const workspace = await temporaryFolder();
    vi.stubEnv("HOME", workspace);
    const { approvalId } = await waiting(workspace, {});
    const other = await waiting(workspace, { stateDir: false });
    for (const [what, { kind }] of await attempts(other.call, ".local/state/haft", approvalId)) {
      expect([what, kind]).not.toEqual([what, "ok"]);
    }
  });

  test("with a file that was written without knowledge of the request", async () => {
    const workspace = await temporaryFolder();
    const stateDir = join(workspace, "state");
    const { session, approvalId } = await waiting(workspace, { stateDir });
    const answers = join(stateDir, "approvals/answers");
    await mkdir(answers, { recursive: true });
    const planted = join(answers, `${approvalId}.json`);
    await writeFile(planted, JSON.stringify({ decision: "allow-once" }), { mode: 0o600 });
    // Nor by ringing the bell that tells of answers.
    for (const name of await readdir(stateDir))
      if (name.includes("bell")) await writeFile(join(stateDir, name), "");
    expect(await session.call({ name: "ls", arguments: {} })).toMatchObject({ kind: "ok" });
    expect(session.pendingApprovals()).toHaveLength(1);
  });

  test("files next to the state folder with a similar name are accessible", async () => {
    const workspace = await temporaryFolder();
    await mkdir(join(workspace, "stat"));
    const { call } = await waiting(workspace, { stateDir: join(workspace, "stat?") });
    for (const path of ["stats", "stat/a", "stat?2"]) {
      expect(await call("write", { path, content: "x" })).toMatchObject({ kind: "ok" });
    }
    expect(await readFile(join(workspace, "stat/a"), "utf8")).toBe("x");
    await rm(join(workspace, "stat"), { recursive: true });
  });
});
