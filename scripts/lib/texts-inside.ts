import type { Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const READ = /readFileSync\(new URL\("(\.\/[^"]+)", import\.meta\.url\), "utf8"\)/g;

/** A text that a module reads from the file beside it, such as a shell script, is put into the bundle. */
export const textsInside: Plugin = {
  name: "texts-inside",
  setup(build) {
    build.onLoad({ filter: /\/src\/.+\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(READ, (_all, file: string) =>
        JSON.stringify(readFileSync(join(dirname(path), file), "utf8")),
      );
      return contents === source ? undefined : { contents, loader: "ts", resolveDir: dirname(path) };
    });
  },
};
