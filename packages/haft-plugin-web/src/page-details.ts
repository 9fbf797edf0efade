/** Facts about a page for programs. */
export interface PageDetails {
  /** After redirects. */
  url: string;
  /** Without parameters; empty without a header. */
  contentType: string;
  /** Title of an HTML page. */
  title?: string;
  /** Length of the whole text. */
  characters: number;
  /** First character of the returned part. */
  offset: number;
  /** Next offset. Absent at the end. */
  next?: number;
  /** The depth or length limit cut the rest. */
  isCut?: true;
  /** Read bytes, if the limit cut the page. */
  cutAfterBytes?: number;
}
