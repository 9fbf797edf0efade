/**
 * The most processor time, in milliseconds, that this thread spent at one go while the work ran: so long another session
 * of the process waits. Other processes of the machine do not change it.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = cpuTime();
  let isOver = false;
  const look = (): void => {
    const now = cpuTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
    // The turn in which the work ended.
    await new Promise((resolve) => setImmediate(resolve));
    return longest;
  } finally {
    isOver = true;
  }
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
