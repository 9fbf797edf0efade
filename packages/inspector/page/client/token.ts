const KEPT = "haft-token";

take();

/** The token of this page: out of the fragment it was opened with, from then on out of the storage of this tab alone. */
export function heldToken(): string | undefined {
  return sessionStorage.getItem(KEPT) ?? undefined;
}

/** The server did not take it: it is of an earlier start. */
export function dropToken(): void {
  sessionStorage.removeItem(KEPT);
}

/** Before anything else reads the fragment: it is cleared at once, so that neither history nor a shared address has the token. */
function take(): void {
  const given = /^#token=([\w.~-]+)(?:&(\/.*))?/s.exec(location.hash);
  if (given === null) return;
  sessionStorage.setItem(KEPT, given[1]!);
  const rest = given[2] === undefined ? "" : `#${given[2]}`;
  history.replaceState(undefined, "", `${location.pathname}${location.search}${rest}`);
}
