/**
 * Characters that nobody sees: they are there to be read by machines alone. Spaces and ends of lines are none, nor is what joins
 * letters and pictures, or says which of two shapes they have.
 */
const INVISIBLE =
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

export function visibleMarkup(text: string): string {
  return text.replaceAll(INVISIBLE, "");
}
