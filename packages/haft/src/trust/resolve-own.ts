import { OF_HAFT } from "./covered-files.ts";

/** What a name means where it is written; Haft's own packages, where there are none, are those that run here. */
export function resolveOwn<Found>(name: string, asWritten: () => Found, here: () => Found): Found {
  try {
    return asWritten();
  } catch (thrown) {
    // Of an import, or a require.
    const isMissing = /^(?:ERR_)?MODULE_NOT_FOUND$/.test((thrown as NodeJS.ErrnoException).code ?? "");
    if (!isMissing || !OF_HAFT.test(name)) throw thrown;
    return here();
  }
}
