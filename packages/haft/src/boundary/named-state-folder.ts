import { join } from "node:path";
import { homeFolder } from "./home-folder.ts";

/** The state folder as the environment names it: a relative path where a variable has one, or there is no home folder. Loads nothing more. */
export function namedStateFolder(): { variable: string; value: string; path: string } {
  const { HAFT_STATE_DIR: own, XDG_STATE_HOME: xdg } = process.env;
  if (own !== undefined && own !== "") return { variable: "HAFT_STATE_DIR", value: own, path: own };
  if (xdg !== undefined && xdg !== "")
    return { variable: "XDG_STATE_HOME", value: xdg, path: join(xdg, "haft") };
  const home = homeFolder() ?? "";
  return { variable: "HOME", value: home, path: join(home, ".local", "state", "haft") };
}

/** What Haft keeps in a state folder: by the first two it is known, whatever else is there. */
const OF_HAFT = [
  "haft.db",
  "journal",
  "chats",
  "compiled",
  "contained",
  "guard",
  "inspect",
  "mcp",
  "mcp-credentials",
  "node",
  "nodes",
  "plugins",
  "serve",
  "snapshots",
  "trust",
];

/** Whether a folder with these names in it is a state folder; an empty one can become one. */
export function canBeState(names: readonly string[]): boolean {
  const [file = "", journal] = OF_HAFT;
  return (
    names.some((name) => name.startsWith(file) || name === journal) ||
    names.every((name) => OF_HAFT.includes(name))
  );
}
