import { probeView } from "@haft/sandbox/view";
import { afterAll, describe, expect, test } from "vitest";
import { gitEscapes, tryGitEscape } from "./git-escapes.ts";
import { homeEscapes, openHome, tryHomeEscape } from "./home-escapes.ts";

const { available, reason } = await probeView();
if (!available) process.stderr.write(`LEFT OUT: ways out of a view, which cannot be made here: ${reason}\n`);
const isLeftOut = !available && process.env["HAFT_REQUIRE_SERVICES"] !== "1";
const testContained = isLeftOut ? (test.skip as typeof test) : test;

describe("escapes from a contained session", () => {
  let shared: Awaited<ReturnType<typeof openHome>> | undefined;
  afterAll(() => shared?.close());
  testContained.for(homeEscapes)("$title", async (door) => {
    // What wants nothing to be there before its session takes the same one as the others.
    const home = door.before === undefined ? (shared ??= await openHome()) : undefined;
    expect(await tryHomeEscape(door, home)).toMatchObject({ verdict: "blocked" });
  });
  // All of them are tried on the parts of the view by tests beside those, and by `npm run escapes`.
  testContained.for(gitEscapes.filter(({ shared }) => shared).slice(0, 2))("$title", async (door) => {
    expect(await tryGitEscape(door)).toMatchObject({ verdict: "blocked" });
  });
});
