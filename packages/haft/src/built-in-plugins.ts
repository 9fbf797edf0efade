import type { Plugin } from "@haft/core";
import fsPlugin from "@haft/tools-fs/plugin";

/** What every host has. They are plugins like any other, written with the public SDK. */
export const builtInPlugins: readonly Plugin[] = [fsPlugin];
