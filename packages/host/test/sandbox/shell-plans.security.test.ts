import type { SandboxBackend } from "@haft/sandbox";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createHost } from "../../src/host/host.ts";
import { call, getText } from "./support.ts";

const RUNNER = readFileSync(new URL("../../../sandbox/src/shell-runner/runner.sh", import.meta.url), "utf8");

/** A place with nothing but a shell, which can run commands and not look at programs before. */
function shellBackend(folder: string): SandboxBackend {
  return {
    id: "shell",
    async open(spec) {
      const child = spawn("sh", ["-c", RUNNER], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
      const ended = once(child, "close").then(() => ({ why: "it was closed" }));
      const { key, scope, workspace } = spec;
      return {
        stream: Duplex.from({ readable: child.stdout, writable: child.stdin } as never),
        ref: {
          backend: "shell", id: "1", key, scope, specHash: "", createdAt: 0, state: "running", detached: false,
        }, // prettier-ignore
        mounts: [{ name: "", path: folder, access: "rw" }],
        facts: { mount: workspace, network: "full" },
        runner: "shell",
        ended,
        close: async () => {
          child.stdin.end();
          await ended;
        },
      };
    },
    probe: async () => ({ backend: "shell", available: true, details: {} }),
    list: async () => [],
    destroy: async () => false,
  };
}

async function tried(exec: object, command: string) {
  const folder = await realpath(await temporaryFolder());
  const host = await createHost({
    workspaceDir: folder,
    stateDir: false,
    policy: { exec },
    sandbox: { backend: shellBackend(folder) },
  });
  const session = await host.openSession({ kind: "sandboxed" });
  const outcome = await call(session, "exec", { command });
  await host.close();
  return { outcome, ran: existsSync(join(folder, "made")) };
}

/** Rules that look at what a command runs, and what becomes of a command nobody can look at. */
const LOOKING: [string, object, string][] = [
  ["a list that denies what is not on it", { security: "allowlist", allow: ["touch *"] }, "POLICY_DENIED"],
  ["a list that asks", { security: "allowlist", allow: ["touch *"], ask: "on-miss" }, "CAPABILITY_MISSING"],
  ["asking every time", { security: "allowlist", ask: "always" }, "CAPABILITY_MISSING"],
];

test.for(LOOKING)(
  "runs no command with %s if the sandbox cannot resolve programs",
  async ([, exec, code]) => {
    const { outcome, ran } = await tried({ ask: "off", ...exec }, "touch made");
    expect(outcome).toMatchObject({ code, receipt: "none" });
    expect(getText(outcome)).toMatch(
      /not known what the call would run|this sandbox has only a shell runner/,
    );
    expect(ran).toBe(false);
  },
);

test("runs a command that needs no resolved programs", async () => {
  const { ran } = await tried({ security: "full" }, "touch made");
  expect(ran).toBe(true);
});
