import { openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/index.ts";

/** Fills the disk of a folder, opens a store on it, and prints the code of the error, and whether it names the disk: `node full-disk-program.ts FOLDER new|closed`. */
const [folder = "", state] = process.argv.slice(2);
const path = join(folder, "haft.db");
if (state === "closed") {
  const store = openSqliteStore({ path });
  await store.ledger.runs();
  await store.close();
}
try {
  for (let count = 0; ; count++) writeFileSync(join(folder, `empty-${count}`), "");
} catch {
  // The disk has no entry left.
}
try {
  const file = openSync(join(folder, "empty-0"), "w");
  for (;;) writeSync(file, Buffer.alloc(4096));
} catch {
  // The disk has no space left.
}
const code = await openSqliteStore({ path })
  .ledger.runs()
  .then(
    () => "no error",
    (thrown: unknown) => {
      const { code: failed, message = "" } = thrown as { code?: string; message?: string };
      return `${failed} ${message.includes("disk is full") ? "named" : message}`;
    },
  );
process.stdout.write(code);
