import type { ComponentProps } from "preact";
import { mayAct } from "../data/about.ts";
import { words } from "../strings/frame.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends Omit<ComponentProps<"button">, "class" | "icon"> {
  /** Classes: `main`, `bad`, `plain`, `small`. */
  look?: string;
  icon?: IconName;
  text?: string;
  acts?: boolean;
}

export function Button({
  look = "",
  icon,
  text,
  acts = false,
  disabled = false,
  title,
  ...rest
}: ButtonProps) {
  const isRefused = acts && !mayAct.value;
  return (
    <button
      type="button"
      class={`button ${look}`.trim()}
      disabled={isRefused || disabled}
      title={isRefused ? words.roleLook : title}
      {...rest}
    >
      {icon !== undefined && <Icon name={icon} />}
      {text}
    </button>
  );
}
