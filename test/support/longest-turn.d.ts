/**
 * The most processor time, in milliseconds, that this thread spent at one go while the work ran: so long another session
 * of the process waits. Other processes of the machine do not change it. Turns within 5 ms count as one.
 */
export declare function longestTurn(work: () => Promise<unknown>): Promise<number>;
