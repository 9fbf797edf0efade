// Program of compile-cache.security.test.ts. For each state folder it is given: where Node keeps what it compiles then, as
// one line of JSON. Once there is a place it stays, so the good one comes last.
import { getCompileCacheDir } from "node:module";
import { enableCompileCache } from "../../src/cli/compile-cache.ts";

for (const folder of process.argv.slice(2)) {
  process.env["HAFT_STATE_DIR"] = folder;
  enableCompileCache();
  process.stdout.write(`${JSON.stringify(getCompileCacheDir() ?? null)}\n`);
}
