import { realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * A workspace `w` with a repository of its own, beside the folder of a user's configuration `xdg/haft`, with these files.
 * `at` is for `haft` and `haftHere`.
 */
export async function createConfiguredWorkspace(files: Readonly<Record<string, string>> = {}) {
  const above = realpathSync(await temporaryFolder());
  const cwd = join(above, "w");
  await mkdir(join(cwd, ".git"), { recursive: true });
  await mkdir(join(above, "xdg/haft"), { recursive: true });
  const write = async (name: string, text: string) => {
    const path = join(above, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const env = {
    XDG_CONFIG_HOME: join(above, "xdg"),
    HAFT_CONFIG: "",
    HAFT_POLICY: "",
    HAFT_ADMIN_POLICY: "",
    HAFT_STATE_DIR: join(above, "state"),
  };
  return { above, cwd, env, write, at: { cwd, env } };
}
