import { contentToText } from "@haft/core";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createHost } from "../../src/host/host.ts";

async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "utf8")))).join(
    "\n",
  );
}

test.for([
  ["echo PGPASSWORD=Hunter2x", "Hunter2x"],
  ["echo mysql -pHunter2x app", "Hunter2x"],
  ["echo curl -u me:Hunter2x https://example.com", "Hunter2x"],
  ["echo sshpass -p 'my Hunter2x' ssh host", "Hunter2x"],
  [`echo '{"token":"Hunter2x"}'`, "Hunter2x"],
])("runs the given arguments and stores them without secrets: %s", async ([command, secret]) => {
  const workspaceDir = await temporaryFolder();
  const stateDir = getStateFolder(workspaceDir);
  // What the ledger keeps of results is its own matter.
  const open = () => createHost({ workspaceDir, stateDir, administratorPolicy: false, record: "none" });
  let host = await open();
  onTestFinished(() => host.close());
  let session = await host.openSession({ kind: "group", sessionKey: "room" });
  const call = { name: "exec", arguments: { command: command! } };

  const outcome = await session.call(call);
  const [request] = session.pendingApprovals();
  expect(outcome.kind).toBe("pending");
  // The call may have to run by what is kept; what is only there to be read has it covered.
  const written = await everythingIn(stateDir);
  expect(written).toContain("[secret]");
  expect(written).toContain(secret);
  expect(JSON.stringify(request!.preview)).not.toContain(secret);
  expect(contentToText(outcome.content)).not.toContain(secret);

  const ran = await session.resolveApproval(request!.approvalId, "allow-always");
  expect(contentToText(ran.content)).toContain(secret);
  await host.close();
  expect(await everythingIn(stateDir)).not.toContain(secret);

  host = await open();
  session = await host.openSession({ kind: "group", sessionKey: "room" });
  // The grant is bound to the command with its secret: another secret is another call.
  expect((await session.call(call)).kind).toBe("ok");
  const other = { name: "exec", arguments: { command: command!.replace(secret!, "Other3y") } };
  expect((await session.call(other)).kind).toBe("pending");
});
