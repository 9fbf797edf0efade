import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { SandboxWorkspace } from "../../src/index.ts";
import type { EscapeAttempt } from "./attempts.ts";
import type { EscapeFixture } from "./fixture.ts";

export interface EscapeSandbox {
  fixture: EscapeFixture;
  sandbox: SandboxWorkspace;
}

/** One place for all attempts of a suite, each of which tidies up; one of its own for each that may end it. */
export function shareEscapeSandbox(
  open: () => Promise<EscapeSandbox>,
): (attempt: EscapeAttempt) => Promise<EscapeSandbox> {
  let shared: EscapeSandbox | undefined;
  const close = async ({ fixture, sandbox }: EscapeSandbox): Promise<void> => {
    await sandbox.close();
    await fixture.close();
  };
  beforeAll(async () => void (shared = await open()));
  afterAll(() => shared && close(shared));
  return async ({ mayDie }) => {
    if (mayDie !== true) return shared!;
    const opened = await open();
    onTestFinished(() => close(opened));
    return opened;
  };
}
