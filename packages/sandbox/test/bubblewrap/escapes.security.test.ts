import { describe, expect, onTestFinished } from "vitest";
import { attempts } from "../escapes/attempts.ts";
import { ATTEMPT_LIMITS, openEscapeFixture, READ_ONLY_INSIDE } from "../escapes/fixture.ts";
import { runAttempt } from "../escapes/run-attempts.ts";
import { anOpen, grouped, specFor, testAsRoot, testInside } from "./support.ts";

/** What root is on the host decides what its files allow, so both are tried where this runs as root. */
const OWNERS = [
  { title: "of whoever runs this", owner: undefined, testHere: testInside },
  { title: "of another user", owner: { uid: 4321, gid: 4321 }, testHere: testAsRoot },
];

describe.each(OWNERS)("escapes from a bubblewrap sandbox on files $title", ({ owner, testHere }) => {
  testHere.for(attempts.map((one) => [one.name, one] as const))("%s", async ([, attempt], { skip }) => {
    skip(attempt.promise === "memory" && !grouped, "no control group can be made here");
    const fixture = await openEscapeFixture(owner);
    onTestFinished(() => fixture.close());
    const spec = specFor(fixture.workspace, { limits: ATTEMPT_LIMITS });
    const readOnly = {
      name: "ro",
      hostPath: fixture.readOnly,
      path: READ_ONLY_INSIDE,
      access: "ro",
    } as const;
    const { run } = await anOpen({ ...spec, mounts: [...spec.mounts, readOnly] });
    const result = await runAttempt(attempt, run, fixture, ATTEMPT_LIMITS);
    expect(result).toMatchObject({ verdict: "kept" });
  });
});
