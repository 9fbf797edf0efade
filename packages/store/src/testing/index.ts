export type { ApprovalStoresUnderTest } from "./approvals/samples.ts";
export { testApprovalStore } from "./approvals/test-approval-store.ts";
export { testLedgerStore } from "./ledger/test-ledger-store.ts";
export type { StoreCase } from "./store-case.ts";
