/** What programs learn of a page. */
export interface PageDetails {
  /** Where it really is, after redirects. */
  url: string;
  /** Without parameters; empty where the server says none. */
  contentType: string;
  /** Of an HTML page that has one. */
  title?: string;
  /** Of the whole text. */
  characters: number;
  /** The part that was answered: first character, and the one after the last. */
  offset: number;
  /** Where to go on. Absent at the end. */
  next?: number;
  /** It is nested so deep, or becomes so long, that the rest of it was left out. */
  isCut?: true;
  /** Nothing beyond so many bytes of the page was read. */
  cutAfterBytes?: number;
}
