import { contentToText, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { type SandboxBackend, createBubblewrapBackend } from "@haft/sandbox";
import { expect, onTestFinished } from "vitest";
import { getStateFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";

const probe = await createBubblewrapBackend().probe();

/** Tests that need bubblewrap are left out where it does not work; where they must run, they fail instead. */
export const isSkipped = !probe.available && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
// oxlint-disable-next-line no-console -- loudly
if (isSkipped) console.warn(`LEFT OUT, because bubblewrap does not work: ${probe.reason}`);

export const bubblewrap = (): SandboxBackend => createBubblewrapBackend();

export async function openTestHost(workspaceDir: string, options: HostOptions = {}) {
  const host = await createHost({
    workspaceDir,
    stateDir: getStateFolder(workspaceDir),
    ...options,
    sandbox: options.sandbox === false ? false : { backend: "bubblewrap", ...options.sandbox },
  });
  onTestFinished(() => host.close());
  return host;
}

let calls = 0;

export function call(session: Session, name: string, args: unknown): Promise<ToolOutcome> {
  return session.call({ id: `test-${++calls}`, name, arguments: args });
}

/** What a command printed. */
export async function run(session: Session, command: string): Promise<string> {
  const outcome = await call(session, "exec", { command });
  expect(outcome).toMatchObject({ kind: "ok" });
  return getText(outcome);
}

export function getText(outcome: ToolOutcome): string {
  return "content" in outcome ? contentToText(outcome.content) : "";
}
