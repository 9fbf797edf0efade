import type {
  AnyTool,
  Plugin,
  PluginToolFactory,
  PluginToolRegistration,
  ToolEffect,
  ToolResult,
} from "@haft/core";
import type { TrackedHandles } from "./tracked-handles.ts";

/** A run of `execute`, before the kernel makes an outcome from it. */
export interface ObservedRun {
  tool: string;
  ended: boolean;
  settled: Promise<void>;
  thrown?: unknown;
  hasThrown: boolean;
  result?: unknown;
  /** The first partial result that the kernel ignores. */
  invalidUpdate?: unknown;
  /** Effects through ports, with the first operation of each effect. */
  observedEffects: Map<ToolEffect, string>;
  /** Attempts without ports. */
  bypasses: string[];
}

export class Observer {
  /** Milliseconds of each factory, by its names. */
  readonly factories = new Map<string, number[]>();
  /** Declared effects, by tool. */
  readonly effects = new Map<string, readonly ToolEffect[]>();
  /** Attempts of factories without ports. */
  readonly bypasses: string[] = [];
  readonly #handles: TrackedHandles;
  #last: ObservedRun | undefined;

  constructor(handles: TrackedHandles) {
    this.#handles = handles;
  }

  get last(): ObservedRun | undefined {
    return this.#last;
  }

  /** Earlier observations belong to another call. */
  begin(): void {
    this.#last = undefined;
  }

  readonly recordEffect = (effect: ToolEffect, what: string): void => {
    const run = this.#last;
    // Work after the answer also counts.
    if (run !== undefined && !run.observedEffects.has(effect)) run.observedEffects.set(effect, what);
  };

  readonly recordBypass = (_effect: ToolEffect, what: string): void => {
    if (this.#last === undefined) this.bypasses.push(what);
    else this.#last.bypasses.push(what);
  };

  plugin(plugin: Plugin): Plugin {
    return { ...plugin, tools: plugin.tools.map((registration) => this.#registration(registration)) };
  }

  #registration(registration: PluginToolRegistration): PluginToolRegistration {
    const { names } = registration;
    const key = names.join(", ");
    const factory: PluginToolFactory = (context) => {
      const started = performance.now();
      const note = () => {
        this.factories.set(key, [...(this.factories.get(key) ?? []), performance.now() - started]);
      };
      const made = this.#handles.run(() => registration.factory(context));
      if (!isPromise(made)) {
        note();
        return this.#tools(made);
      }
      return made.then((tools) => {
        note();
        return this.#tools(tools);
      });
    };
    return { ...registration, factory };
  }

  #tools<T>(made: T): T {
    if (Array.isArray(made)) return made.map((tool: unknown) => this.#tool(tool)) as T;
    return this.#tool(made) as T;
  }

  #tool(tool: unknown): unknown {
    const { execute, name, effects } = (tool ?? {}) as Pick<AnyTool, "name" | "effects"> & {
      execute?: (this: unknown, ...args: Parameters<AnyTool["execute"]>) => ReturnType<AnyTool["execute"]>;
    };
    // The registry reports an invalid tool.
    if (typeof execute !== "function") return tool;
    this.effects.set(name, Array.isArray(effects) ? effects : []);
    const watched: AnyTool["execute"] = (id, params, signal, onUpdate, context) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const run: ObservedRun = {
        tool: name,
        ended: false,
        settled: promise,
        hasThrown: false,
        observedEffects: new Map(),
        bypasses: [],
      };
      this.#last = run;
      const update: typeof onUpdate = (partial) => {
        if (!isUpdate(partial)) run.invalidUpdate ??= partial ?? String(partial);
        return onUpdate?.(partial);
      };
      const end = (more: Partial<ObservedRun>) => {
        Object.assign(run, more, { ended: true });
        resolve();
      };
      let returned: ReturnType<AnyTool["execute"]>;
      try {
        returned = this.#handles.run(() => execute.call(tool, id, params, signal, update, context));
      } catch (thrown) {
        end({ thrown, hasThrown: true });
        throw thrown;
      }
      if (!isPromise(returned)) {
        end({ result: returned });
        return returned;
      }
      returned.then(
        (result) => end({ result }),
        (thrown: unknown) => end({ thrown, hasThrown: true }),
      );
      return returned;
    };
    // The registry checks the keys, and classes need their own `this`.
    const keys = Object.fromEntries(Object.keys(tool as object).map((key) => [key, undefined]));
    return new Proxy(keys, {
      get: (_, key) => {
        const value: unknown = Reflect.get(tool as object, key);
        if (key === "execute") return watched;
        return typeof value === "function" ? (value.bind(tool) as unknown) : value;
      },
      has: (_, key) => Reflect.has(tool as object, key),
      getPrototypeOf: () => Reflect.getPrototypeOf(tool as object),
    });
  }
}

function isUpdate(partial: unknown): boolean {
  return (
    typeof partial === "string" || Array.isArray((partial as Partial<ToolResult> | null | undefined)?.content)
  );
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
