import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** Where there is nothing: what would be here, and how it comes to be. */
export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      {children}
    </div>
  );
}
