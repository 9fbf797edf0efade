import { build } from "rolldown";

/** A program of a package, with all that it needs, in one file that runs anywhere. */
export async function oneFile(entry: string, file: string): Promise<void> {
  await build({
    input: entry,
    platform: "node",
    logLevel: "silent",
    output: { file, format: "esm", codeSplitting: false },
  });
}
