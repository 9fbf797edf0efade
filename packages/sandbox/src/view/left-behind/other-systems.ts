import { basename } from "node:path";
import { readWhole } from "../git/write/write-in-place.ts";

const WHERE_FROM =
  /^(?:\s*(?:[#;].*)?\n)*(?:\[paths\]\n(?:\s*(?:[#;].*)?\n|default(?:-push)? = (?:https?|ssh):\/\/[A-Za-z\d][\w.@:/~%+-]*\n)*)?$/;

export function isHarmlessFile(path: string): boolean {
  return basename(path) === "hgrc" && WHERE_FROM.test(`${readWhole(path)?.toString("latin1") ?? "?"}\n`);
}
