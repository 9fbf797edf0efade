import { contentToText } from "@haft/core";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openHost } from "../../../host/test/support/open-host.ts";
import { toServedOptions } from "../../src/cli/serve/served-host.ts";

/** Ends when somebody makes a file, and not before. */
const command = "until [ -e go ]; do sleep 0.05; done; echo went";

test.each([
  ["an hour", { yieldMs: 3_600_000 }, {}],
  ["nothing, in a host whose calls wait to the end", {}, { backgroundMs: "never" }],
  ["nothing", {}, {}],
] as const)(
  "waits up to the limit of the host for a call with %s, and its command continues",
  async (_, more, options) => {
    const workspaceDir = await temporaryFolder();
    const host = await openHost({
      workspaceDir,
      stateDir: false,
      policy: { allow: ["exec", "process"] },
      longestWaitMs: 50,
      ...options,
    });
    const session = await host.openSession();
    const outcome = await session.call({ name: "exec", arguments: { command, ...more } });
    expect(outcome).toMatchObject({ kind: "ok", details: { status: "running" } });
    const { sessionId } = outcome.details as { sessionId: string };
    expect(contentToText(outcome.content)).toContain(sessionId);

    writeFileSync(join(workspaceDir, "go"), "");
    // It answers when the command has ended.
    const poll = { name: "process", arguments: { action: "poll", sessionId, timeout: 60_000 } };
    expect(contentToText((await session.call(poll)).content)).toContain("went");
  },
);

test("waits half the limit of clients in haft serve, regardless of the host's settings", () => {
  expect(toServedOptions({ longestWaitMs: 120_000 }).longestWaitMs).toBe(30_000);
});
