import { join } from "node:path";
import { onTestFinished } from "vitest";
import { approvalStoreContract } from "../../../core/test/contract/approval-store.ts";
import { createFolderApprovals } from "../../src/approvals/folder-approvals.ts";
import { temporaryFolder } from "../support/haft.ts";

approvalStoreContract("in a folder", async () => {
  const store = createFolderApprovals(join(await temporaryFolder(), "approvals"));
  onTestFinished(() => store.close());
  return store;
});
