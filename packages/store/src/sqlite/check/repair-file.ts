import type { Database } from "../database/database.ts";
import { checkFile } from "./check-file.ts";
import { putAside } from "./put-aside.ts";

/** Makes a file usable again. @returns where the damaged one is now; `undefined` where it stayed */
export function repairFile(database: Database): string | undefined {
  if (checkFile(database).some(({ code }) => code === "STORE_CORRUPT")) {
    database.release();
    return putAside(database.path);
  }
  database.run("DELETE FROM incidents");
  return undefined;
}
