import { attempt, getOwnerStatus, isWithin, type Owner, getCurrentOwner } from "@haft/system";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { ABANDONED_MS } from "../../defaults.ts";
import { tryReadFolder } from "../../mounts/read-folder.ts";

export function ownedFolderPath(folder: string): string {
  const owner = Buffer.from(JSON.stringify(getCurrentOwner())).toString("base64url");
  return join(folder, `${owner}.${randomBytes(8).toString("hex")}`);
}

export function listAbandonedFolders(folder: string): string[] {
  const all = tryReadFolder(folder).flatMap((one) => (one.isDirectory() ? [join(folder, one.name)] : []));
  return all.filter((left) => {
    const text = Buffer.from(basename(left).split(".")[0]!, "base64url").toString();
    const owner = attempt(() => JSON.parse(text) as Owner);
    const age = Date.now() - (attempt(() => statSync(left).mtimeMs) ?? Date.now());
    const fate = owner === undefined ? "unknown" : getOwnerStatus(owner);
    return isWithin(left, folder) && (fate === "gone" || (fate === "unknown" && age >= ABANDONED_MS));
  });
}
