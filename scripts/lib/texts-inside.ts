import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const READ = /readFileSync\(new URL\("(\.\/[^"]+)", import\.meta\.url\), "utf8"\)/g;

/** A text that a module reads from the file beside it, such as a shell script, is put into the bundle. */
export const textsInside: Plugin = {
  name: "texts-inside",
  load: {
    filter: { id: /\/src\/.+\.ts$/ },
    handler: (path) => {
      const source = readFileSync(path, "utf8");
      const code = source.replace(READ, (_all, file: string) =>
        literal(readFileSync(join(dirname(path), file), "utf8")),
      );
      return code === source ? null : { code, moduleType: "ts" };
    },
  },
};

/** With its lines, which the bundle has then, too. */
function literal(text: string): string {
  return `\`${text.replaceAll(/[\\`$]/g, "\\$&")}\``;
}
