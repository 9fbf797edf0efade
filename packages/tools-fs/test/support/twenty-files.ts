/** A patch that does everything to twenty files, and the trees before and after it. */
const numbers = Array.from({ length: 20 }, (_, index) => index);
const old = (n: number): string => `file ${n}\nold line ${n}\nend ${n}\n`;
const changed = (n: number): string => `file ${n}\nnew line ${n}\nend ${n}\n`;

export const BEFORE: Record<string, string> = Object.fromEntries(
  numbers.filter((n) => n % 5 !== 0).map((n) => [`src/f${n}.txt`, old(n)]),
);

export const AFTER: Record<string, string> = Object.fromEntries(
  numbers.flatMap((n) => {
    if (n % 5 === 0) return [[`made/here/f${n}.txt`, changed(n)]];
    if (n % 5 === 1) return [];
    if (n % 5 === 2) return [[`moved/f${n}.txt`, old(n)]];
    if (n % 5 === 3) return [[`moved/f${n}.txt`, changed(n)]];
    return [[`src/f${n}.txt`, changed(n)]];
  }),
);

const update = (n: number): string => `@@\n file ${n}\n-old line ${n}\n+new line ${n}\n`;

export const PATCH = [
  "*** Begin Patch\n",
  ...numbers.map((n) => {
    const path = `src/f${n}.txt`;
    if (n % 5 === 0) {
      return `*** Add File: made/here/f${n}.txt\n+file ${n}\n+new line ${n}\n+end ${n}\n`;
    }
    if (n % 5 === 1) return `*** Delete File: ${path}\n`;
    if (n % 5 === 2) return `*** Move File: ${path} -> moved/f${n}.txt\n`;
    if (n % 5 === 3) return `*** Update File: ${path}\n*** Move to: moved/f${n}.txt\n${update(n)}`;
    return `*** Update File: ${path}\n${update(n)}`;
  }),
  "*** End Patch\n",
].join("");
