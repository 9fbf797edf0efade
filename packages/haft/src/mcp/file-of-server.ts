import { sha256 } from "@haft/core/internal";

/** What a file of the state folder is called that is about one server: a name cannot be a path. @param file the operator's file that it stands in */
export function fileOfServer(file: string, server: string): string {
  return `${sha256(`${file}\0${server}`).slice(0, 32)}.json`;
}
