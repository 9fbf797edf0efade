import { createHash } from "node:crypto";

/** What a file of the state folder is called that is about one server: a name cannot be a path. @param file the operator's file that it stands in */
export function fileOfServer(file: string, server: string): string {
  return `${createHash("sha256").update(`${file}\0${server}`).digest("hex").slice(0, 32)}.json`;
}
