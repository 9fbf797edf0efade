/** Milliseconds that what plugins still do may go on, once the command is done. */
const PATIENCE_MS = 1_000;

/** Ends the process, should something that a plugin started keep it: whoever called waits for its end. */
export function endLeftovers(): void {
  const end = () => {
    const kinds = new Set(process.getActiveResourcesInfo().filter((kind) => !/^(?:TTY|Pipe)/.test(kind)));
    const what = kinds.size === 0 ? "Something" : [...kinds].join(", ");
    const words = `haft: ${what} of a plugin would go on, and is ended. Its author ends it in dispose, or has the signal of setup do so.\n`;
    // What is not written yet comes before the end.
    process.stderr.write(words, () => process.stdout.write("", () => process.exit()));
  };
  // Where nothing is left, nobody waits for this.
  setTimeout(end, PATIENCE_MS).unref();
}
