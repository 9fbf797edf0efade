import { useId } from "preact/hooks";
import { escapeInvisible, escapeInvisibleLine } from "../../../parts/text/escape-invisible.ts";
import { tools as texts } from "../../../strings/rules.ts";

interface Schema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
}

interface FormProps {
  schema: Schema;
  value: Readonly<Record<string, unknown>>;
  onChange: (value: Record<string, unknown>) => void;
}

/** Omits empty fields. */
export function SchemaForm({ schema, value, onChange }: FormProps) {
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {}).toSorted(
    ([a], [b]) => Number(required.has(b)) - Number(required.has(a)),
  );
  if (entries.length === 0) return <p class="soft small">{texts.noParameters}</p>;
  return (
    <div class="form">
      {entries.map(([name, property]) => (
        <Field
          key={name}
          name={name}
          schema={property}
          isRequired={required.has(name)}
          value={value[name]}
          onChange={(next) => {
            const { [name]: _, ...others } = value;
            onChange(next === undefined ? others : { ...others, [name]: next });
          }}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Field({ name, schema, isRequired, value, onChange }: FieldProps) {
  const id = useId();
  const { description } = schema;
  return (
    <div class="form-field">
      <label for={id}>
        <b class="mono">{escapeInvisibleLine(name)}</b>
        {isRequired && <span class="small needed">{texts.required}</span>}
        <span class="soft small">{typeOf(schema)}</span>
      </label>
      <Input id={id} schema={schema} value={value} onChange={onChange} />
      {description !== undefined && <p class="soft small text">{escapeInvisible(description)}</p>}
    </div>
  );
}

function Input({
  id,
  schema,
  value,
  onChange,
}: {
  id: string;
  schema: Schema;
  value: unknown;
  onChange: FieldProps["onChange"];
}) {
  const choices = choicesOf(schema);
  const hint = schema.default === undefined ? "" : texts.byDefault(JSON.stringify(schema.default));
  if (choices !== undefined)
    return (
      <select
        id={id}
        class="field"
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? undefined : (JSON.parse(currentTarget.value) as unknown))
        }
      >
        <option value="">{hint === "" ? texts.notGiven : hint}</option>
        {choices.map((choice) => (
          <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
            {typeof choice === "string" ? escapeInvisibleLine(choice) : JSON.stringify(choice)}
          </option>
        ))}
      </select>
    );
  const { type } = schema;
  if (type === "integer" || type === "number")
    return (
      <input
        id={id}
        class="field"
        type="number"
        step={type === "integer" ? 1 : "any"}
        min={schema.minimum}
        max={schema.maximum}
        placeholder={hint}
        value={typeof value === "number" ? value : ""}
        onInput={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? undefined : Number(currentTarget.value))
        }
      />
    );
  if (type === "string")
    return (
      <textarea
        id={id}
        class="field mono"
        rows={Math.min(8, typeof value === "string" ? value.split("\n").length : 1)}
        placeholder={hint}
        value={typeof value === "string" ? value : ""}
        onInput={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? undefined : currentTarget.value)
        }
      />
    );
  return (
    <JsonInput id={id} hint={hint === "" ? exampleOf(schema) : hint} value={value} onChange={onChange} />
  );
}

/** Invalid JSON stays but is not used. */
function JsonInput({
  id,
  hint,
  value,
  onChange,
}: {
  id: string;
  hint: string;
  value: unknown;
  onChange: FieldProps["onChange"];
}) {
  return (
    <textarea
      id={id}
      class="field mono"
      rows={2}
      placeholder={hint}
      defaultValue={value === undefined ? "" : JSON.stringify(value)}
      onInput={({ currentTarget }) => {
        const text = currentTarget.value.trim();
        let isJson = true;
        try {
          onChange(text === "" ? undefined : (JSON.parse(text) as unknown));
        } catch {
          isJson = false;
        }
        currentTarget.setAttribute("aria-invalid", String(!isJson));
      }}
    />
  );
}

function choicesOf({ enum: given, anyOf, oneOf, type }: Schema): readonly unknown[] | undefined {
  if (given !== undefined) return given;
  if (type === "boolean") return [true, false];
  const all = anyOf ?? oneOf;
  return all !== undefined && all.every((each) => each.const !== undefined)
    ? all.map((each) => each.const)
    : undefined;
}

function typeOf(schema: Schema): string {
  if (choicesOf(schema) !== undefined && schema.type !== "boolean") return texts.oneOf;
  return typeof schema.type === "string" ? schema.type : texts.json;
}

function exampleOf({ type, items }: Schema): string {
  return type === "array"
    ? items?.type === "string"
      ? '["…"]'
      : "[ … ]"
    : type === "object"
      ? "{ … }"
      : "JSON";
}
