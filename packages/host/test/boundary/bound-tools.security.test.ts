import { findHostCode } from "@haft/config/internal/boundary";
import { definePlugin } from "@haft/plugin-sdk";
import { createHostWorkspaceEditTool, createHostWorkspaceWriteTool } from "@haft/tools-fs";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openHost } from "../support/open-host.ts";

/** A session with the tools that are bound to a folder of the host, whatever the session works in. */
async function bound(options: { workspaceOnly?: boolean } = {}) {
  const base = await temporaryFolder();
  for (const path of ["other/plugin/dist/lazy.js", "other/state/approvals/grant", "other/plain"]) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), "one\n");
  }
  mkdirSync(join(base, "ws"));
  const other = join(base, "other");
  const tools = [
    { ...createHostWorkspaceWriteTool(other, options), name: "put" },
    { ...createHostWorkspaceEditTool(other, options), name: "change" },
  ];
  const host = await openHost({
    workspaceDir: join(base, "ws"),
    stateDir: join(other, "state"),
    boundary: { code: [join(other, "plugin")] },
    plugins: [definePlugin({ id: "bound", tools })],
  });
  const session = await host.openSession();
  let count = 0;
  const call = (name: string, args: object) => session.call({ id: `c-${++count}`, name, arguments: args });
  return { other, call };
}

test.each([{}, { workspaceOnly: false }])(
  "bound tools with a folder cannot change code or state of the host: %j",
  async (options) => {
    const { other, call } = await bound(options);
    const change = { oldText: "one", newText: "evil" };
    for (const path of ["plugin/dist/lazy.js", "plugin/dist/new.js"])
      expect(await call("put", { path, content: "evil" })).toMatchObject({ code: "READ_ONLY" });
    expect(await call("change", { path: "plugin/dist/lazy.js", ...change })).toMatchObject({
      code: "READ_ONLY",
    });
    for (const path of ["state/approvals/grant", "state/new"])
      expect(await call("put", { path, content: "evil" })).toMatchObject({ code: "PATH_DENIED" });
    expect(await call("change", { path: "state/approvals/grant", ...change })).toMatchObject({
      code: "PATH_DENIED",
    });
    expect(readFileSync(join(other, "plugin/dist/lazy.js"), "utf8")).toBe("one\n");
    expect(existsSync(join(other, "state/new"))).toBe(false);
    expect(await call("put", { path: "plain", content: "two" })).toMatchObject({ kind: "ok" });
  },
);

test("bound tools respect a host that is created later", async () => {
  const { call } = await bound();
  expect(await call("put", { path: "later/file", content: "one" })).toMatchObject({ kind: "ok" });
  const { other, call: again } = await bound();
  expect(await again("put", { path: "plain", content: "two" })).toMatchObject({ kind: "ok" });
  await openHost({
    workspaceDir: other,
    stateDir: join(other, "later"),
  });
  expect(await again("put", { path: "later/file", content: "evil" })).toMatchObject({ code: "PATH_DENIED" });
});

test("Node is protected code if it is inside a root", async () => {
  const root = await temporaryFolder();
  const node = join(root, "node_modules/node/bin/node");
  const { execPath } = process;
  onTestFinished(() => void (process.execPath = execPath));
  process.execPath = node;
  for (const given of [[], ["elsewhere"]]) {
    expect(findHostCode(given, [root]).code).toContain(node);
    expect(findHostCode(given, [root]).protectedPaths).toContain(node);
  }
  expect(findHostCode(false, [root]).code).toEqual([]);
  expect(findHostCode([], [join(root, "ws")]).code).not.toContain(node);
});
