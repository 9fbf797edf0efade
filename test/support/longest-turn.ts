/** Looks once in so many milliseconds: looking in each turn would take more processor time than the work. */
const EVERY_MS = 5;

/**
 * The most processor time, in milliseconds, that this thread spent at one go while the work ran: so long another session
 * of the process waits. Other processes of the machine do not change it. Turns within 5 ms count as one.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = cpuTime();
  let isOver = false;
  const look = (): void => {
    const now = cpuTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setTimeout(look, EVERY_MS);
  };
  setTimeout(look, EVERY_MS);
  try {
    await work();
    // The turn in which the work ended.
    await new Promise((resolve) => setTimeout(resolve, 2 * EVERY_MS));
    return longest;
  } finally {
    isOver = true;
  }
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
