/** Every n-th of these, from a random one on; all of them in a long campaign. What fails must name its case. */
export declare function pickShare<Case>(all: readonly Case[], every: number): Case[];
/** How often something random is tried: one n-th of the whole, with new values every time; all of it in a long campaign. */
export declare function scaleRuns(whole: number, every: number): number;
