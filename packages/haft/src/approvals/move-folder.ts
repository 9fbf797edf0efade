import { HaftError, type Logger } from "@haft/core";
import type { ApprovalStore } from "@haft/core/kernel";
import { attempt } from "@haft/workspace/internal/system";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { folderApprovals, type FolderApprovals } from "./folder-approvals.ts";

/**
 * The folder of approvals of earlier versions becomes the store: what was allowed in it goes on, each grant once, whoever else
 * does it at the same time, and however often it was begun. Then the folder is put aside, unless an older Haft still asks
 * there: that one would neither find its grants nor hear an answer any more.
 *
 * @returns the folder, where an older Haft still uses it
 */
export async function moveFolder(
  folder: string,
  store: ApprovalStore,
  logger?: Pick<Logger, "warn">,
): Promise<FolderApprovals | undefined> {
  if (!existsSync(folder)) return undefined;
  try {
    return await move(folder, store, logger);
  } catch (thrown) {
    if (!HaftError.is(thrown) || !thrown.code.startsWith("STATE_FOLDER_")) throw thrown;
    logger?.warn(`What earlier versions allowed does not count: ${thrown.message}`);
    return undefined;
  }
}

async function move(
  folder: string,
  store: ApprovalStore,
  logger: Pick<Logger, "warn"> | undefined,
): Promise<FolderApprovals | undefined> {
  const told: string[] = [];
  const older = folderApprovals(folder, { logger: { warn: (message) => void told.push(message) } });
  await copyGrants(older, store);
  const asked = await older.requests();
  const tell = (place: string): void => {
    for (const message of told) logger?.warn(message.replaceAll(folder, place));
  };
  if (asked.length > 0) {
    tell(folder);
    logger?.warn(
      `An older Haft still runs and asks in ${folder}. Its calls are answered there; what is allowed there is copied when Haft is next started.`,
    );
    return older;
  }
  const aside = putAside(folder);
  tell(aside ?? folder);
  // Whoever was about to write there, did it before: nothing finds it under its old name any more.
  if (aside !== undefined) await copyGrants(folderApprovals(aside), store);
  return undefined;
}

/** A grant that is there already, or was revoked since, is not given again. */
async function copyGrants(older: ApprovalStore, store: ApprovalStore): Promise<void> {
  for (const grant of await older.allGrants()) {
    try {
      await store.addGrant(grant);
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "APPROVAL_ID_TAKEN") throw thrown;
    }
  }
}

/** Under the first name that is free. `undefined`: somebody else did it, or nobody can. */
function putAside(folder: string): string | undefined {
  // An empty folder has nothing worth keeping, but it is not ours to decide that: it is put aside like any other.
  for (let number = 1; number < 100; number++) {
    const aside = number === 1 ? `${folder}.moved` : `${folder}.moved-${number}`;
    if (existsSync(aside) && readdirSync(aside).length > 0) continue;
    // A rename replaces an empty folder, and no other.
    const isMoved = attempt(() => {
      renameSync(folder, aside);
      return true;
    });
    return isMoved === true ? aside : undefined;
  }
  return undefined;
}
