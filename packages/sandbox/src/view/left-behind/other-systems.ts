import { basename } from "node:path";
import { readWhole } from "../git/write/write-in-place.ts";

/** As `hg clone` leaves it: where it came from. */
const WHERE_FROM =
  /^(?:\s*(?:[#;].*)?\n)*(?:\[paths\]\n(?:\s*(?:[#;].*)?\n|default(?:-push)? = (?:https?|ssh):\/\/[A-Za-z\d][\w.@:/~%+-]*\n)*)?$/;

/** Says nothing by which a program starts. */
export function isHarmlessFile(path: string): boolean {
  return basename(path) === "hgrc" && WHERE_FROM.test(`${readWhole(path)?.toString("latin1") ?? "?"}\n`);
}
