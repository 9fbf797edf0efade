import { withoutUndefined } from "@haft/core";
import type { ApprovalGrant } from "@haft/core/kernel";
import { PrivateFolder } from "@haft/workspace/internal/system";
import type { BrokenFiles } from "./broken-files.ts";
import { fileOf, idsIn, idTaken, readRecord } from "./record-files.ts";
import { grantText, isId, readGrant } from "./records.ts";

/** What was allowed for good: a file for each grant, in a folder that all processes share. */
export class FolderGrants {
  readonly #folder: PrivateFolder;
  readonly #broken: BrokenFiles;

  constructor(path: string, broken: BrokenFiles) {
    this.#folder = new PrivateFolder(path);
    this.#broken = broken;
  }

  /** Oldest first. */
  all(): ApprovalGrant[] {
    return idsIn(this.#folder)
      .map((id) => this.#read(id))
      .filter((grant) => grant !== undefined)
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  /** @throws HaftError `APPROVAL_ID_TAKEN` */
  add(grant: ApprovalGrant): void {
    if (!isId(grant.id)) throw idTaken(grant.id);
    if (!this.#folder.create(fileOf(grant.id), `${grantText(grant)}\n`)) throw idTaken(grant.id);
  }

  use(id: string): boolean {
    // One byte for each use: it is added by many at once, and cannot bring back what was revoked.
    return this.#read(id) !== undefined && this.#folder.append(fileOf(id), ".");
  }

  revoke(id: string): boolean {
    return isId(id) && this.#folder.remove(fileOf(id));
  }

  #read(id: string): ApprovalGrant | undefined {
    return readRecord(this.#folder, id, this.#broken, ({ text, size, modifiedAt }) => {
      const end = text.indexOf("\n");
      if (end < 0) throw new Error("its end is missing");
      const record = text.slice(0, end);
      const grant = readGrant(record, id);
      if (grant.expiresAt !== undefined && grant.expiresAt <= Date.now()) {
        this.#folder.remove(fileOf(id));
        return undefined;
      }
      const used = size - Buffer.byteLength(record) - 1;
      return withoutUndefined<ApprovalGrant>({
        ...grant,
        used,
        lastUsedAt: used === 0 ? undefined : Math.round(modifiedAt),
      });
    });
  }
}
