import { escapeInvisible, escapeInvisibleLine } from "./escape-invisible.ts";

/** Longer texts get separate lines. */
const SHORT = 90;

/** Nested values are JSON. */
export function JsonBlock({ value }: { value: unknown }) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return <pre class="block">{json(value)}</pre>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <pre class="block soft">{"{}"}</pre>;
  return (
    <dl class="facts args">
      {entries.map(([name, each]) => (
        <div key={name} class={isLong(each) ? "long" : ""}>
          <dt class="mono">{escapeInvisibleLine(name)}</dt>
          <dd>
            {isLong(each) ? (
              <pre class="block">{textOf(each)}</pre>
            ) : (
              <code class="text">{textOf(each)}</code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? escapeInvisible(value) : json(value);
}

function isLong(value: unknown): boolean {
  const text = textOf(value);
  return text.length > SHORT || text.includes("\n");
}

function json(value: unknown): string {
  return escapeInvisible(JSON.stringify(value, undefined, 2) ?? "");
}
