/** Invisible characters, which only machines read. Excludes spaces, line ends, joiners, and variation selectors. */
const INVISIBLE =
  /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

export function visibleMarkup(text: string): string {
  return text.replaceAll(INVISIBLE, "");
}
