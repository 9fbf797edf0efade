/** After the time or the signal, it calls `stop`, which must cause an answer. */
export async function waitFor<Answer>(
  answer: Promise<Answer>,
  ms: number,
  signal: AbortSignal | undefined,
  stop: () => void,
): Promise<{ answer: Answer; tooLate: boolean }> {
  let tooLate = false;
  const timer = setTimeout(() => {
    tooLate = true;
    stop();
  }, ms);
  if (signal?.aborted === true) stop();
  else signal?.addEventListener("abort", stop);
  try {
    return { answer: await answer, tooLate };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
