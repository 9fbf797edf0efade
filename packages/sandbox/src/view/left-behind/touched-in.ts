import { attempt } from "@haft/workspace/internal/system";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const MOST = 2000;

/** What of a file, or of a folder and all in it, commands may have made or changed. Of a folder with too much in it, all. */
export function touchedIn(path: string, isTouched: (path: string) => boolean): string[] {
  const found: string[] = [];
  const waiting = [path];
  for (let at = 0; at < waiting.length; at++) {
    if (at > MOST) return [path];
    const one = waiting[at]!;
    if (isTouched(one)) found.push(one);
    else waiting.push(...(attempt(() => readdirSync(one)) ?? []).map((name) => join(one, name)));
  }
  return found;
}
