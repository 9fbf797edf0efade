import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates an empty folder. It is removed after the test, together with its state folder. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-test-"));
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(getStateFolder(folder), { recursive: true, force: true });
  });
  return folder;
}

/** Returns the state folder for a workspace: beside it, since state is stored outside of the workspace. */
export function getStateFolder(folder: string): string {
  return `${folder}-state`;
}
