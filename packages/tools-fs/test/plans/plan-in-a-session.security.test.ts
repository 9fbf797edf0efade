import type { CallSubjects, Decision, Policy } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFilesPlugin } from "../../src/plugin.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

const decision = (effect: Decision["effect"]): Decision => ({
  effect,
  id: effect,
  reason: effect,
  trace: [],
});

/** Denies what touches `secret` or is not known; allows the rest. */
function isDenied(subjects: CallSubjects | undefined): boolean {
  const paths = subjects?.paths;
  return paths === undefined || paths.some(({ relative }) => /^secret(\/|$)/.test(relative));
}

const policy: Policy = {
  forSession: () => ({
    visibility: () => decision("allow"),
    call: (_tool, _args, subjects) => decision(isDenied(subjects) ? "deny" : "allow"),
    needsSubjects: () => true,
  }),
};

async function openSession() {
  const { root, workspace } = await temporaryWorkspace({ "src/a.ts": "one\n", "secret/key": "k\n" });
  symlinkSync("../secret/key", join(root, "src", "innocent.ts"));
  const plugin = createFilesPlugin();
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const session = await new SessionFactory({ registry, policy }).open({ kind: "main", workspace });
  let count = 0;
  return {
    root,
    call: (name: string, args: object) => session.call({ id: `c${++count}`, name, arguments: args }),
  };
}

const patch = (...sections: string[]): { input: string } => ({
  input: ["*** Begin Patch", ...sections, "*** End Patch"].join("\n"),
});

test("applies nothing of a patch if one of its paths is denied", async () => {
  const { root, call } = await openSession();
  const add = "*** Add File: src/b.ts\n+b";
  for (const bad of [
    "*** Update File: secret/key\n@@\n-k\n+x",
    "*** Update File: src/innocent.ts\n@@\n-k\n+x",
    "*** Delete File: ./src/../secret/key",
    "*** Update File: src/a.ts\n*** Move to: secret/a.ts",
    "*** Move File: secret/key -> src/key",
    "*** Add File: secret/deep/new/file\n+x",
  ]) {
    expect(await call("apply_patch", patch(add, bad))).toMatchObject({
      kind: "blocked",
      receipt: "none",
    });
  }
  expect(existsSync(join(root, "src", "b.ts"))).toBe(false);
  expect(readFileSync(join(root, "secret", "key"), "utf8")).toBe("k\n");
  expect(await call("apply_patch", patch(add))).toMatchObject({ kind: "ok", receipt: "committed" });
});

test("applies rules to aliases of the parameter path", async () => {
  const { root, call } = await openSession();
  for (const name of ["path", "file_path", "filePath", "file"]) {
    for (const path of ["secret/key", "@secret/key", "src/innocent.ts", join(root, "secret/key")]) {
      expect(await call("read", { [name]: path })).toMatchObject({ kind: "blocked" });
    }
    expect(await call("read", { [name]: "src/a.ts" })).toMatchObject({ kind: "ok" });
  }
  expect(await call("ls", { dir: "secret" })).toMatchObject({ kind: "blocked" });
  expect(await call("grep", { query: "k", file: "src/innocent.ts" })).toMatchObject({ kind: "blocked" });
});
