import { isAbsolute, join } from "node:path";
import { configError } from "../errors.ts";
import { homeFolder, describeMissingHome } from "./home-folder.ts";

/**
 * Where a user's own configuration is: `haft` in the XDG configuration folder (`~/.config` by default). No session gets at it.
 * A relative `XDG_CONFIG_HOME` is none, as its specification has it.
 *
 * @throws HaftError `PATH_RELATIVE` where there is no home folder: what lies in the current one may be an agent's own
 */
export function configFolder(): string {
  const folder = resolveConfigFolder();
  if (folder !== undefined) return folder;
  throw configError("PATH_RELATIVE", `${describeMissingHome()} Your own configuration has no place there.`, {
    fix: "Set HOME to the absolute path of your home folder, or XDG_CONFIG_HOME to that of a folder for configurations.",
  });
}

export function resolveConfigFolder(): string | undefined {
  const { XDG_CONFIG_HOME: xdg = "" } = process.env;
  const home = homeFolder();
  if (isAbsolute(xdg)) return join(xdg, "haft");
  return home === undefined ? undefined : join(home, ".config", "haft");
}
