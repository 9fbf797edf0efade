/** Blocks as one text: with an empty line between, but for items of a list and rows of a table. */
export function joined(blocks: readonly string[]): string {
  return blocks
    .map((block, at) => {
      const before = blocks[at - 1];
      if (before === undefined) return block;
      const belongs = (isItem(before) && isItem(block)) || (isRow(before) && isRow(block));
      return belongs ? `\n${block}` : `\n\n${block}`;
    })
    .join("");
}

const isItem = (block: string): boolean => /^[> ]*(?:-|\d+\.) /.test(block);
const isRow = (block: string): boolean => /^[> ]*\|/.test(block);
