import { examineProgram } from "@haft/system";
import { open } from "node:fs/promises";
import { executeOnlyCopy, removeUnused } from "../../programs/execute-only-copy.ts";

export const CONTAINER_INIT_PATH = "/opt/haft/init";

const LOCATIONS = [
  "/usr/bin/docker-init",
  "/usr/libexec/docker/docker-init",
  "/usr/local/libexec/docker/docker-init",
  "/usr/local/bin/docker-init",
  "/usr/sbin/docker-init",
  "/usr/bin/tini-static",
  "/usr/bin/tini",
  "/sbin/tini",
];

/** Copies the host's init, which commands must not read because it has the runner's descriptors. `undefined`: no init. */
export async function stageInit(folder: string): Promise<string | undefined> {
  try {
    for (const location of LOCATIONS) {
      const examined = examineProgram(location);
      if (examined === undefined || examined.unsafe !== undefined) continue;
      if (!(await isStatic(location).catch(() => false))) continue;
      const path = await executeOnlyCopy(location, "init-", folder);
      await removeUnused("init-", folder);
      return path;
    }
  } catch {
    // The file is missing or unreadable.
  }
  return undefined;
}

const HEAD_BYTES = 4096;
const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const INTERPRETER = 3;

/** Images may lack libraries. */
async function isStatic(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    await file.read(head, 0, HEAD_BYTES, 0);
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return false;
    const [start, size, count] = [
      Number(head.readBigUInt64LE(32)),
      head.readUInt16LE(54),
      head.readUInt16LE(56),
    ];
    const kinds = Array.from({ length: count }, (_, index) => head.readUInt32LE(start + index * size));
    return !kinds.includes(INTERPRETER);
  } finally {
    await file.close();
  }
}
