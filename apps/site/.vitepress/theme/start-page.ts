import { Content, useData, withBase } from "vitepress";
import { defineComponent, h } from "vue";

interface Path {
  title: string;
  details: string;
  link: string;
}

/** What the start page says before its text: all of it stands at the head of home.md. */
interface Head {
  claim: string;
  words: string;
  picture: { src: string; alt: string; width: number; height: number };
  paths: Path[];
}

/** The start page: what Haft is and how it looks, where each kind of people begins, and the text of home.md. */
export const StartPage = defineComponent({
  name: "StartPage",
  setup() {
    const { frontmatter } = useData<Record<string, unknown>>();
    return () => {
      const { claim, words, picture, paths } = frontmatter.value as unknown as Head;
      return h("main", { class: "start" }, [
        h("section", { class: "first" }, [
          h("div", [
            h("h1", [h("span", "Haft "), claim]),
            h("p", words),
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

/** A link of its title's words, as large as the card. */
function card({ title, details, link }: Path) {
  return h("li", [h("h3", h("a", { href: withBase(link) }, title)), h("p", details)]);
}
