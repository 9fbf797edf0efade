import { linkTo, type RouteView } from "../app/routes.ts";

interface TabsProps {
  view: RouteView;
  label: string;
  /** The first tab has no path. */
  tabs: readonly (readonly [path: string, text: string, count?: number])[];
  chosen: string;
}

export function Tabs({ view, label, tabs, chosen }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([path, text, count], index) => (
        <a
          key={path}
          href={linkTo(view, index === 0 ? [] : [path])}
          aria-current={path === chosen ? "page" : undefined}
        >
          {text}
          {count !== undefined && count > 0 && <b class="number">{count}</b>}
        </a>
      ))}
    </nav>
  );
}
