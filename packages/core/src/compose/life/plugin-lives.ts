import type { Logger } from "../../contract/ports.ts";
import type { Plugin } from "../../contract/registration.ts";
import { type LifeOptions, type LifeProblem, PluginLife } from "./plugin-life.ts";

export class PluginLives {
  readonly all = new Map<Plugin, PluginLife>();

  /** @param before of the registry before this one: plugins that both have go on as they are, unless they never got up */
  take(
    plugin: Plugin,
    options: LifeOptions,
    before?: PluginLives,
  ): { life: PluginLife | undefined; isNew: boolean } {
    const known = before?.all.get(plugin);
    const life = known?.hasFailed === false ? known : PluginLife.of(plugin, options);
    if (life !== undefined) this.all.set(plugin, life);
    return { life, isNew: life !== known };
  }

  get hasFailed(): boolean {
    return [...this.all.values()].some((life) => life.hasFailed);
  }

  /**
   * Sets up the plugins of these ids before anybody needs them.
   *
   * @throws HaftError with the code of a {@link LifeProblem}
   */
  async setUp(ids: ReadonlySet<string>, logger: Logger): Promise<void> {
    const wanted = [...this.all].filter(([{ id }]) => ids.has(id));
    await Promise.all(wanted.map(([, life]) => life.ready(logger)));
  }

  /** Disposes of all but those that others go on with. Never rejects. */
  async close(next?: PluginLives): Promise<(LifeProblem & { pluginId: string })[]> {
    const goOn = new Set(next?.all.values());
    const ending = [...this.all].filter(([, life]) => !goOn.has(life));
    const ended = await Promise.all(
      ending.map(async ([{ id: pluginId }, life]) => {
        const problem = await life.dispose();
        return problem === undefined ? [] : [{ ...problem, pluginId }];
      }),
    );
    return ended.flat();
  }
}
