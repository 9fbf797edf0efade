// Draws the documents' pictures: npm run pictures [-- --check]
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "pictures");
const options = ["--conditions=@haft/source", "--no-warnings"];
for (const script of readdirSync(folder).toSorted()) {
  const { status } = spawnSync(
    process.execPath,
    [...options, join(folder, script), ...process.argv.slice(2)],
    {
      stdio: "inherit",
    },
  );
  if (status !== 0) process.exitCode = 1;
}
