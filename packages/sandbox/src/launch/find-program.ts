import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a program is, by its name on the PATH of the host or by its path. `undefined` when it is not there. */
export function findProgram(name: string): string | undefined {
  const places = name.includes("/")
    ? [name]
    : (process.env["PATH"] ?? "/usr/bin").split(delimiter).map((folder) => join(folder, name));
  return places.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
