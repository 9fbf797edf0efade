const GONE = new Set(["EPIPE", "EIO", "ECONNRESET"]);

/** Whoever reads the output may leave first (`| head`): that is no crash. */
export function isBrokenPipe(thrown: unknown): boolean {
  return GONE.has((thrown as NodeJS.ErrnoException | undefined)?.code ?? "");
}
