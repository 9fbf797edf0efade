/** Milliseconds between updates on a terminal. */
const SOON_MS = 1_000;
const SELDOM_MS = 15_000;

export async function showProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  const started = performance.now();
  const seconds = () => `${Math.floor((performance.now() - started) / 1_000)} s`;
  const isWatched = stderr.isTTY;
  if (!isWatched) console.error(`haft: ${what} …`);
  const timer = setInterval(
    () =>
      isWatched
        ? stderr.write(`\r\u001B[Khaft: ${what} … ${seconds()}`)
        : console.error(`haft: ${what} … ${seconds()}`),
    isWatched ? SOON_MS : SELDOM_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (isWatched) stderr.write("\r\u001B[K");
  }
}
