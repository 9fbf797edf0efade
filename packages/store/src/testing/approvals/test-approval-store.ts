import type { StoreCase } from "../store-case.ts";
import { ANSWER_CASES } from "./answer-cases.ts";
import { GRANT_CASES } from "./grant-cases.ts";
import { REQUEST_CASES } from "./request-cases.ts";
import type { ApprovalStoresUnderTest } from "./samples.ts";

/**
 * What every store of approvals does, whatever it keeps them in: for authors of stores.
 *
 * ```ts fragment
 * for (const { name, run } of testApprovalStore(open)) test(name, run);
 * ```
 *
 * @param open an empty store, and the same as another process has it (or the same again); closed by whoever made it
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
