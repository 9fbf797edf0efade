import { Content, useData, withBase } from "vitepress";
import { defineComponent, h } from "vue";

interface Path {
  title: string;
  details: string;
  link: string;
}

/** The start page's upper part, with values from home.md's front matter. */
interface Head {
  claim: string;
  words: string;
  install: string;
  picture: { src: string; alt: string; width: number; height: number };
  paths: Path[];
}

/** Renders claim, install line, picture, four paths, and home.md's text. */
export const StartPage = defineComponent({
  name: "StartPage",
  setup() {
    const { frontmatter } = useData<Record<string, unknown>>();
    return () => {
      const { claim, words, install, picture, paths } = frontmatter.value as unknown as Head;
      return h("main", { class: "start" }, [
        h("section", { class: "first" }, [
          h("div", [
            h("h1", [h("span", "Haft "), claim]),
            h("p", words),
            h("pre", { class: "install" }, h("code", install)),
            h("p", { class: "actions" }, [
              h("a", { class: "strong", href: "#paths" }, "Choose your path"),
              h("a", { href: withBase("/haft.html") }, "What Haft is"),
            ]),
          ]),
          h("img", { ...picture, src: withBase(picture.src) }),
        ]),
        h("section", { id: "paths", "aria-labelledby": "choose" }, [
          h("h2", { id: "choose" }, "Choose your path"),
          h("ul", paths.map(card)),
        ]),
        h("div", { class: "vp-doc" }, h(Content)),
      ]);
    };
  },
});

/** Renders a path as a card, wholly a link with the title as its text. */
function card({ title, details, link }: Path) {
  return h("li", [h("h3", h("a", { href: withBase(link) }, title)), h("p", details)]);
}
