import type { StoreCase } from "../store-case.ts";
import { ANSWER_CASES } from "./answer-cases.ts";
import { GRANT_CASES } from "./grant-cases.ts";
import { REQUEST_CASES } from "./request-cases.ts";
import type { ApprovalStoresUnderTest } from "./samples.ts";

/**
 * Returns the test cases for approval stores.
 *
 * @param open opens an empty store, and the same store as another process (or the same object); the caller closes both
 *
 * @example
 * ```ts
 * import { openSqliteStore } from "@haft/store";
 * import { testApprovalStore } from "@haft/store/testing";
 * import { test } from "vitest";
 * let opened = 0;
 * const cases = testApprovalStore(() => {
 *   const path = `/tmp/approvals-${opened++}.db`;
 *   return { store: openSqliteStore({ path }).approvals, other: openSqliteStore({ path }).approvals };
 * });
 * for (const { name, run } of cases) test(name, run);
 * ```
 */
export function testApprovalStore(
  open: () => ApprovalStoresUnderTest | Promise<ApprovalStoresUnderTest>,
): StoreCase[] {
  const groups = { requests: REQUEST_CASES, answers: ANSWER_CASES, grants: GRANT_CASES };
  return Object.entries(groups).flatMap(([group, cases]) =>
    Object.entries(cases).map(([name, run]) => ({
      name: `${group}: ${name}`,
      run: async () => run(await open()),
    })),
  );
}
