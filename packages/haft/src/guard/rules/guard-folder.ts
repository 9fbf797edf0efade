import { isAbsolute, join } from "node:path";
import { namedStateFolder } from "../../boundary/home-folder.ts";

/** Where hooks keep what they read; nothing where the state folder cannot be told. Not made by asking. */
export function guardFolder(): string | undefined {
  const { value, path } = namedStateFolder();
  return isAbsolute(value) ? join(path, "guard") : undefined;
}
