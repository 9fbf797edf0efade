/** Ctrl-C gives up, and what was begun is undone before the process ends. A second one ends it at once. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const name of ENDS) process.once(name, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of ENDS) process.off(name, stop);
  }
}

const ENDS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
