/** Ends the process of a command that is done, though something keeps it. @param ofPlugin a plugin ran in it, and is told of */
export function endLeftovers(ofPlugin: boolean): void {
  const kinds = new Set(process.getActiveResourcesInfo().filter((kind) => !/^(?:TTY|Pipe)/.test(kind)));
  const what = kinds.size === 0 ? "Something" : [...kinds].join(", ");
  const words = ofPlugin
    ? `haft: ${what} would go on, and is ended. Where it is a plugin's, its author ends it in dispose, or has the signal of setup do so.\n`
    : "";
  // What is not written yet comes before the end.
  process.stderr.write(words, () => process.stdout.write("", () => process.exit()));
}
