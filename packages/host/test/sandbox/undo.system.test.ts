import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openTestHost, call, isSkipped } from "./support.ts";

test.skipIf(isSkipped)(
  "refuses to undo a change of a sandbox from the host and names the sandbox",
  async () => {
    const cwd = await temporaryFolder();
    const host = await openTestHost(cwd, { sandbox: { workspaceAccess: "rw" } });
    const session = await host.openSession({ kind: "sandboxed" });
    const outcome = await call(session, "write", { path: "a.txt", content: "made inside" });
    const { transactionId } = (outcome as unknown as { details: { transactionId: string } }).details;
    await expect(host.changes.undo(transactionId)).rejects.toMatchObject({
      code: "TRANSACTION_NOT_FOUND",
      message: expect.stringContaining(
        "was not made in this workspace but in a sandbox, in its folder /workspace",
      ),
      fix: expect.stringContaining("version control"),
      receipt: "none",
    });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("made inside");
  },
);
