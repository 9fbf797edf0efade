const KEPT = "haft-token";
/** As it stands behind the `#`, with a place of the page behind it, perhaps: `#0123456789ab.…&/approvals`. */
const IN_ADDRESS = /^#([0-9a-f]{12}\.[\w-]+)(?:&(\/.*))?$/s;

take();

/** Whether somebody opened an address with a new token, in a tab where the page is already. */
export function hasNewToken(): boolean {
  return IN_ADDRESS.test(location.hash);
}

/** The token of this page: out of the fragment it was opened with, from then on out of the storage of this tab alone. */
export function getToken(): string | undefined {
  return sessionStorage.getItem(KEPT) ?? undefined;
}

/** The server did not take it: it is of an earlier start. */
export function dropToken(): void {
  sessionStorage.removeItem(KEPT);
}

/** Before anything else reads the fragment: it is cleared at once, so that neither history nor a shared address has the token. */
function take(): void {
  const given = IN_ADDRESS.exec(location.hash);
  if (given === null) return;
  sessionStorage.setItem(KEPT, given[1]!);
  const rest = given[2] === undefined ? "" : `#${given[2]}`;
  history.replaceState(undefined, "", `${location.pathname}${location.search}${rest}`);
}
