import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import { approvalStoreContract } from "../contract/approval-store.ts";

approvalStoreContract("in memory", createMemoryApprovals);
