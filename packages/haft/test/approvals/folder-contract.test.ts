import { join } from "node:path";
import { onTestFinished } from "vitest";
import { approvalStoreContract } from "../../../core/test/contract/approval-store.ts";
import { folderApprovals } from "../../src/approvals/folder-approvals.ts";
import { temporaryFolder } from "../support/haft.ts";

approvalStoreContract("in a folder", async () => {
  const store = folderApprovals(join(await temporaryFolder(), "approvals"));
  onTestFinished(() => store.close());
  return store;
});
