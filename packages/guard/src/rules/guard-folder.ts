import { resolveStateFolder } from "@haft/config/internal/home-folder";
import { isAbsolute, join } from "node:path";

/** Where hooks keep what they read; nothing where the state folder cannot be told. Not made by asking. */
export function guardFolder(): string | undefined {
  const { value, path } = resolveStateFolder();
  return isAbsolute(value) ? join(path, "guard") : undefined;
}
