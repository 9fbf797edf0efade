import { computed, signal } from "@preact/signals";

/** In navigation order. */
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

/** `replace` adds no history entry, and does nothing after another navigation. */
export function goTo(link: string, { replace = false } = {}): void {
  if (link === location.hash) return;
  if (!replace) location.hash = link;
  else if (location.hash === fragment.peek()) {
    history.replaceState(undefined, "", link);
    fragment.value = link;
  }
}

/** Invalid fragments open the first view. */
function readRoute(text: string): Route {
  const [address = "", search = ""] = text.replace(/^#\/?/, "").split("?", 2);
  const [name, ...path] = address.split("/").filter((part) => part !== "");
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
