import { describe, expect, test } from "vitest";
import { pickShare } from "../../../../test/support/share.ts";
import type { SandboxSpec } from "../../src/backend.ts";
import { createBubblewrapBackend, openSandbox } from "../../src/index.ts";
import { attempts, type EscapeAttempt } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture, SANDBOX_READ_ONLY_PATH } from "../escapes/fixture.ts";
import { runAttempt, runInWorkspace } from "../escapes/run-attempts.ts";
import { type EscapeSandbox, shareEscapeSandbox } from "../escapes/shared-sandbox.ts";
import { specFor } from "../spec-for.ts";
import { grouped, missing } from "./support.ts";

/** Who commands are on the host decides what its files allow, so both are tried where this runs as root. */
const OWNERS = [
  { title: "of whoever runs this", owner: undefined, left: missing, tried: attempts },
  {
    title: "of another user",
    owner: { uid: 4321, gid: 4321 },
    left: missing || process.getuid?.() !== 0,
    tried: pickShare(attempts, 3),
  },
];

async function openPlace(
  owner?: { uid: number; gid: number },
  more: Partial<SandboxSpec> = {},
): Promise<EscapeSandbox> {
  const fixture = await openEscapeFixture(owner);
  const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS, ...more });
  const readOnly = {
    name: "ro",
    hostPath: fixture.readOnly,
    path: SANDBOX_READ_ONLY_PATH,
    access: "ro",
  } as const;
  const mounts = [...spec.mounts, readOnly];
  return { fixture, sandbox: await openSandbox(createBubblewrapBackend(), { ...spec, mounts }) };
}

function outcomeOf(attempt: EscapeAttempt, { fixture, sandbox }: EscapeSandbox) {
  return runAttempt(attempt, runInWorkspace(sandbox), fixture, ATTEMPT_LIMITS);
}

for (const { title, owner, left, tried } of OWNERS) {
  describe.skipIf(left)(`escapes from a bubblewrap sandbox on files ${title}`, () => {
    const placeOf = shareEscapeSandbox(() => openPlace(owner));
    test.for(tried)("$name", async (attempt, { skip }) => {
      skip(attempt.promise === "memory" && !grouped, "no control group can be made here");
      expect(await outcomeOf(attempt, await placeOf(attempt))).toMatchObject({ verdict: "blocked" });
    });
  });
}

// Attempts that never succeed would prove nothing.
describe.skipIf(missing)("attempts without protection", () => {
  const placeOf = shareEscapeSandbox(() => openPlace(undefined, { network: "full" }));
  const open = ["host-loopback", "abstract-socket", "doors-in-folders", "dev-tcp", "metadata-service"];
  test.for(attempts.filter(({ name }) => open.includes(name)))("$name", async (attempt) => {
    expect(await outcomeOf(attempt, await placeOf(attempt))).toMatchObject({ verdict: "escaped" });
  });
});
