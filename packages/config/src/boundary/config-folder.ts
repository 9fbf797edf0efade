import { isAbsolute, join } from "node:path";
import { configError } from "../errors.ts";
import { homeFolder, describeMissingHome } from "./home-folder.ts";

/**
 * Returns `haft` in the XDG configuration folder (`~/.config` by default). No session reaches it. A relative `XDG_CONFIG_HOME` is ignored,
 * as its specification demands.
 *
 * @throws HaftError `PATH_RELATIVE` without a home folder, because an agent may control the current folder
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
