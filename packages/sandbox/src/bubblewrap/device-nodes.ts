import { hostProgram, runProgram, findSessionRoot } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { chmod, chown, lstat, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { bubblewrapError } from "../errors.ts";

export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"] as const;
/** Neither a user of sandboxes nor `nobody`, which host programs may run as. */
const STRANGER = 65_533;
const MODE = 0o666;
const made = new Map<string, Promise<string>>();

/** Creates devices: root outside could change the mode of the host's own. `folder` is root's. @throws HaftError `SANDBOX_START_FAILED` */
export function deviceNodes(folder: string): Promise<string> {
  let making = made.get(folder);
  if (making === undefined) {
    making = make(join(folder, "dev"));
    making.catch(() => made.delete(folder));
    made.set(folder, making);
  }
  return making;
}

async function make(folder: string): Promise<string> {
  try {
    makeFolder(folder, 0o755);
    const root = findSessionRoot(folder);
    if (root !== undefined) throw new Error(`${folder} is in ${root}, where a session works`);
    const { uid, mode } = await lstat(folder);
    if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`others may write to ${folder}`);
    for (const name of DEVICES) await makeNode(folder, name);
    await (await open(join(folder, "null"), "r+")).close();
    return folder;
  } catch (thrown) {
    throw bubblewrapError(
      "SANDBOX_START_FAILED",
      `the workspace belongs to root, which needs separate devices, and these cannot be created: ${(thrown as Error).message}`,
      "Give the workspace to another user, or name a cache folder on a file system that allows devices.",
    );
  }
}

async function makeNode(folder: string, name: string): Promise<void> {
  const { rdev } = await lstat(`/dev/${name}`);
  const path = join(folder, name);
  const found = await lstat(path).catch(() => undefined);
  const usable =
    found?.isCharacterDevice() === true &&
    found.rdev === rdev &&
    found.uid === STRANGER &&
    (found.mode & 0o777) === MODE;
  if (usable) return;
  const temporary = `${path}.${process.pid}`;
  try {
    const [major, minor] = [(rdev >> 8) & 0xfff, rdev & 0xff];
    const args = ["-m", "600", temporary, "c", String(major), String(minor)];
    const { failure } = await runProgram(hostProgram("mknod"), args, { env: {} });
    if (failure !== undefined) throw new Error(failure.message);
    await chown(temporary, STRANGER, STRANGER);
    await chmod(temporary, MODE);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
