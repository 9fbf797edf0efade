import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { StartPage } from "./start-page.ts";
import "./colours.css";
import "./pages.css";
import "./start-page.css";

export default {
  extends: DefaultTheme,
  // `layout: start-page` of home.md.
  enhanceApp: ({ app }) => void app.component("start-page", StartPage),
} satisfies Theme;
