import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where a user's own configuration is: `haft` in the XDG configuration folder (`~/.config` by default). No session gets at it.
 * A relative `XDG_CONFIG_HOME` is none, as its specification has it.
 */
export function configFolder(): string {
  const { XDG_CONFIG_HOME: xdg = "" } = process.env;
  return join(isAbsolute(xdg) ? xdg : join(homedir(), ".config"), "haft");
}
