const STORAGE_KEY = "haft-token";
/** The text after the `#`, with an optional route: `#0123456789ab.…&/approvals`. */
const IN_ADDRESS = /^#([0-9a-f]{12}\.[\w-]+)(?:&(\/.*))?$/s;

take();

/** The page's tab opened a new address. */
export function hasNewToken(): boolean {
  return IN_ADDRESS.test(location.hash);
}

/** Read from the fragment once, then from the tab's storage. */
export function getToken(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}

/** It is from an earlier start. */
export function dropToken(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

/** Clears the fragment, so that history and shared addresses omit the token. */
function take(): void {
  const given = IN_ADDRESS.exec(location.hash);
  if (given === null) return;
  sessionStorage.setItem(STORAGE_KEY, given[1]!);
  const rest = given[2] === undefined ? "" : `#${given[2]}`;
  history.replaceState(undefined, "", `${location.pathname}${location.search}${rest}`);
}
