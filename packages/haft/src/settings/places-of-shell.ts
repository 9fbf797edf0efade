import { resolve } from "node:path";

const VARIABLES = [
  "HAFT_CONFIG",
  "HAFT_POLICY",
  "HAFT_ADMIN_POLICY",
  "HAFT_STATE_DIR",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
];

/**
 * Variables of this shell that say where Haft looks, for what other programs start: they pass few variables on. A state folder
 * is made absolute; any other has to be absolute where it stands, and is refused by whoever reads it where it is not.
 */
export function placesOfShell(): Record<string, string> {
  return Object.fromEntries(
    VARIABLES.flatMap((name) => {
      const value = process.env[name] ?? "";
      if (value === "") return [];
      return [[name, name === "HAFT_STATE_DIR" ? resolve(value) : value]];
    }),
  );
}
