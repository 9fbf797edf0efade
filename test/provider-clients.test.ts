import { describe, test } from "vitest";
import { providerTrials } from "../scripts/lib/bridges/provider-trials.ts";

// The same is tried with what is published: npm run bridges.
describe.each(providerTrials.map(({ packages: [name], checks }) => ({ name, checks })))(
  "$name",
  ({ checks }) => {
    // Each asserts by itself.
    // oxlint-disable-next-line vitest/expect-expect
    test.each(Object.entries(checks))("%s", (_what, check) => check((specifier) => import(specifier), ""));
  },
);
