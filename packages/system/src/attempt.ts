/** What was asked for; `undefined` where the system says no: it is not there, not ours to look at, or just gone. */
export function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
