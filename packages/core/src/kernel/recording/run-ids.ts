let latest = 0;

/** Returns 9 characters of time in base 36, which sort until the year 5188, and 9 random characters. */
export function newRunId(): string {
  latest = Math.max(latest + 1, Date.now());
  const random = crypto.getRandomValues(new Uint8Array(9));
  const tail = Array.from(random, (byte) => (byte % 36).toString(36)).join("");
  return latest.toString(36).padStart(9, "0") + tail;
}
