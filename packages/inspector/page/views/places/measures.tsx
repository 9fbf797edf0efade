import type { ComponentChildren } from "preact";
import type { Amounts } from "../../../src/wire/api.ts";
import { visibleLine } from "../../parts/text/visible-text.ts";
import { places as texts } from "../../strings/machine.ts";

export function Measures({
  limits,
  use = {},
  children,
}: {
  limits: Amounts;
  use?: Amounts | undefined;
  children: ComponentChildren;
}) {
  const names = texts.inOrder([...new Set([...Object.keys(limits), ...Object.keys(use)])]);
  return (
    <dl class="facts small">
      {names.map((name) => (
        <Fact key={name} name={texts.amount(name)} text={texts.useOf(name, use[name], limits[name])} />
      ))}
      {children}
    </dl>
  );
}

interface FactProps {
  name: string;
  text?: string;
  children?: ComponentChildren;
}

export function Fact({ name, text, children }: FactProps) {
  return (
    <div>
      <dt>{visibleLine(name)}</dt>
      <dd>{text === undefined ? children : visibleLine(text)}</dd>
    </div>
  );
}
