import { describe, expect, onTestFinished } from "vitest";
import type { SandboxSpec } from "../../src/backend.ts";
import { createBubblewrapBackend, openSandbox } from "../../src/index.ts";
import { attempts } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture, READ_ONLY_INSIDE } from "../escapes/fixture.ts";
import { runAttempt, runInWorkspace } from "../escapes/run-attempts.ts";
import { specFor } from "../spec-for.ts";
import { grouped, testAsRoot, testInside } from "./support.ts";

/** Who commands are on the host decides what its files allow, so both are tried where this runs as root. */
const OWNERS = [
  { title: "of whoever runs this", owner: undefined, testHere: testInside },
  { title: "of another user", owner: { uid: 4321, gid: 4321 }, testHere: testAsRoot },
];

async function tried(name: string, owner?: { uid: number; gid: number }, more: Partial<SandboxSpec> = {}) {
  const fixture = await openEscapeFixture(owner);
  onTestFinished(() => fixture.close());
  const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS, ...more });
  const readOnly = { name: "ro", hostPath: fixture.readOnly, path: READ_ONLY_INSIDE, access: "ro" } as const;
  const sandbox = await openSandbox(createBubblewrapBackend(), {
    ...spec,
    mounts: [...spec.mounts, readOnly],
  });
  onTestFinished(() => sandbox.close());
  const attempt = attempts.find((one) => one.name === name)!;
  return runAttempt(attempt, runInWorkspace(sandbox), fixture, ATTEMPT_LIMITS);
}

describe.each(OWNERS)("escapes from a bubblewrap sandbox on files $title", ({ owner, testHere }) => {
  testHere.for(attempts)("$name", async ({ name, promise }, { skip }) => {
    skip(promise === "memory" && !grouped, "no control group can be made here");
    expect(await tried(name, owner)).toMatchObject({ verdict: "kept" });
  });
});

// Attempts that never succeed would prove nothing.
describe("an attempt succeeds where the way is open", () => {
  testInside.for(["host-loopback", "abstract-socket", "dev-tcp", "metadata-service"])("%s", async (name) => {
    expect(await tried(name, undefined, { network: "full" })).toMatchObject({ verdict: "escaped" });
  });
});
