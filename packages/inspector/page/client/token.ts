const STORAGE_KEY = "haft-token";
/** The format after the `#`, with an optional route: `#0123456789ab.…&/approvals`. */
const IN_ADDRESS = /^#([0-9a-f]{12}\.[\w-]+)(?:&(\/.*))?$/s;

take();

/** A new address was opened in a tab with the page. */
export function hasNewToken(): boolean {
  return IN_ADDRESS.test(location.hash);
}

/** Read from the fragment once, then from the storage of the tab. */
export function getToken(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}

/** The token is from an earlier start. */
export function dropToken(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

/** Clears the fragment at once, so that neither history nor a shared address contains the token. */
function take(): void {
  const given = IN_ADDRESS.exec(location.hash);
  if (given === null) return;
  sessionStorage.setItem(STORAGE_KEY, given[1]!);
  const rest = given[2] === undefined ? "" : `#${given[2]}`;
  history.replaceState(undefined, "", `${location.pathname}${location.search}${rest}`);
}
