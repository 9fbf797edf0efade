import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainFailure } from "../../src/bubblewrap/explain-failure.ts";
import { specFor } from "../spec-for.ts";
import { catchFailure, tempFolder } from "../support.ts";
import { createTestBackend, openTestSandbox, createWorkspaceFolder, testInSandbox } from "./support.ts";

const OPEN = { apparmor: "0", unprivileged: "1", max: "10000" };
const NO_NAMESPACE =
  "bwrap: No permissions to create new namespace, likely because the kernel does not allow it.";
const explain = (stderr: string, kernel: Partial<typeof OPEN> = {}, bwrap = "/usr/bin/env") =>
  explainFailure({ stderr, exitCode: 1, bwrap }, { ...OPEN, ...kernel });

describe("reasons of a failed start", () => {
  test.each([
    {
      said: "bwrap: setting up uid map: Permission denied",
      kernel: { apparmor: "1" },
      why: "AppArmor",
      fix: "apparmor_parser",
    },
    {
      said: "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
      kernel: { apparmor: "1" },
      why: "AppArmor",
      fix: "/etc/apparmor.d/bwrap",
    },
    {
      said: NO_NAMESPACE,
      kernel: { unprivileged: "0" },
      why: "allows user namespaces only to root",
      fix: "unprivileged_userns_clone=1",
    },
    {
      said: "bwrap: Creating new namespace failed: No space left on device",
      kernel: { max: "0" },
      why: "allows no user namespaces",
      fix: "max_user_namespaces",
    },
    {
      said: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      kernel: {},
      why: "does not allow",
      fix: "container",
    },
    { said: "bwrap: Unknown option --disable-userns", kernel: {}, why: "too old", fix: "0.8" },
  ])("$said", ({ said, kernel, why, fix }) => {
    const error = explain(said, kernel);
    expect(error.code).toBe("SANDBOX_UNAVAILABLE");
    expect(error.message).toContain(why);
    expect(error.message).toContain(said.slice(0, 40));
    expect(error.fix).toContain(fix);
  });

  test("explains a setuid bubblewrap", () => {
    const bwrap = join(tempFolder(), "bwrap");
    writeFileSync(bwrap, "");
    chmodSync(bwrap, 0o4755);
    expect(explain(NO_NAMESPACE, {}, bwrap).fix).toContain("chmod u-s");
  });

  test.each([
    "bwrap: execvp /opt/haft/node: No such file or directory",
    "/opt/haft/node: error while loading shared libraries: libnode.so.115: cannot open shared object file",
  ])("explains a Node that cannot run inside: %s", (said) => {
    expect(explain(said).code).toBe("SANDBOX_NO_RUNNER");
  });

  test("quotes other output", () => {
    const error = explain("bwrap: Can't find source path /x: No such file or directory");
    expect(error.code).toBe("SANDBOX_START_FAILED");
    expect(error.message).toContain("Can't find source path /x");
  });

  test("quotes the line of Node's error", () => {
    const error = explain(
      "node:internal/modules/cjs/loader:1\n  throw err;\n\nError: Cannot find module '/x.js'\n    at y\n}\n\nNode.js v26.10.0",
    );
    expect(error.message).toContain("Error: Cannot find module '/x.js'");
    expect(error.message).not.toContain("Node.js v26");
  });
});

testInSandbox("explains refused namespaces with a real bubblewrap in a sandbox", async () => {
  const { run } = await openTestSandbox(specFor(createWorkspaceFolder()));
  const { output } = await run("bwrap --unshare-user --ro-bind / / true");
  expect(output).not.toBe("");
  expect(explain(output).code).toBe("SANDBOX_UNAVAILABLE");
});

testInSandbox("explains a program other than bubblewrap", async () => {
  const error = await catchFailure(
    createTestBackend({ bwrap: "/bin/false" }).open(specFor(createWorkspaceFolder())),
  );
  expect(error.code).toBe("SANDBOX_START_FAILED");
  expect((await createTestBackend({ bwrap: "/bin/false" }).probe()).available).toBe(false);
});
