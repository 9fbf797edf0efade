import { computed, signal } from "@preact/signals";

/** The views, in the order of the navigation. */
export const VIEWS = [
  "timeline",
  "approvals",
  "policy",
  "tools",
  "processes",
  "places",
  "ledger",
  "owner",
] as const;

export type RouteView = (typeof VIEWS)[number];

interface Route {
  view: RouteView;
  path: readonly string[];
  query: URLSearchParams;
}

const fragment = signal(location.hash);
addEventListener("hashchange", () => (fragment.value = location.hash));

export const route = computed<Route>(() => readRoute(fragment.value));

export function linkTo(
  view: RouteView,
  path: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${[view, ...path.map(encodeURIComponent)].join("/")}${search === "" ? "" : `?${search}`}`;
}

/**
 * Goes there; with `replace` without a step to go back by. That puts right where the page is, and so leads nobody back who is on
 * the way to another place, of which the page is told later.
 */
export function goTo(link: string, { replace = false } = {}): void {
  if (link === location.hash) return;
  if (!replace) location.hash = link;
  else if (location.hash === fragment.peek()) {
    history.replaceState(undefined, "", link);
    fragment.value = link;
  }
}

/** Reads a fragment; one that means nothing is the first view. */
function readRoute(text: string): Route {
  const [place = "", search = ""] = text.replace(/^#\/?/, "").split("?", 2);
  const [name, ...path] = place.split("/").filter((part) => part !== "");
  const view = VIEWS.find((each) => each === name);
  return {
    view: view ?? "timeline",
    path: view === undefined ? [] : path.map(decoded),
    query: new URLSearchParams(search),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
