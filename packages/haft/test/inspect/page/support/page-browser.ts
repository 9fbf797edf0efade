import AxeBuilder from "axe-core";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

/** Debian's, and what other systems call it. */
const program = ["chromium", "chromium-browser", "google-chrome"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, name)))
  .find((path) => existsSync(path));
