// Highlights CUDA C++ in the raw strings of Rust cells: an extension of JupyterLab 4 in the form in which it loads what was built
// beside it (a container of webpack's module federation), written by hand, so that nothing has to be built. It uses JupyterLab's own
// C++ parser and its own colours.
(() => {
  "use strict";
  const NAME = "cornerturn-cuda";
  /** What makes a string one of CUDA C++. */
  const IS_CUDA = /\b__(global|device|shared|constant)__\b/;
  /** Words of CUDA that are no C++. */
  const WORDS = /\b(?:__global__|__device__|__host__|__shared__|__constant__|__managed__|__restrict__|__launch_bounds__|__forceinline__|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g;
  /** Strings that are kept highlighted. */
  const MOST_KEPT = 64;
  let scope = {};

  /** A module that JupyterLab shares. */
  async function shared(name) {
    const [version] = Object.values(scope[name] ?? {});
    if (!version) throw new Error(`${NAME}: this JupyterLab does not share ${name}`);
    return (await version.get())();
  }

  /** The text between the quotation marks of `r#"…"#`: where it begins and ends; null if it is not whole. */
  function inside(text) {
    const begin = /^b?r(#*)"/.exec(text);
    const end = begin && `"${begin[1]}`;
    const is_whole = begin && text.endsWith(end) && text.length >= begin[0].length + end.length;
    return is_whole ? [begin[0].length, text.length - end.length] : null;
  }

  /** The pieces of a text that have a class: C++ by its parser, and CUDA's words, which are names to it. */
  function pieces(text, parser, { highlightTree, tags }, style) {
    const found = [];
    const keyword = style.style([tags.keyword]) ?? "";
    const words = [...text.matchAll(WORDS)].map((word) => [word.index, word.index + word[0].length, keyword]);
    highlightTree(parser.parse(text), style, (from, to, classes) => {
      const is_word = words.some(([begin, end]) => begin < to && from < end);
      const is_comment = /^(\/\/|\/\*)/.test(text.slice(from, to));
      if (!is_word || is_comment) found.push([from, to, classes]);
    });
    const is_free = ([begin, end]) => !found.some(([from, to]) => begin < to && from < end);
    return [...found, ...words.filter(is_free)];
  }

  /** The extension of an editor: a mark for each string, which takes the string's colour away, and within it the pieces. */
  function extension({ state, view, language }, highlighted) {
    const { Decoration, EditorView, ViewPlugin } = view;
    class Marks {
      constructor(editor) {
        this.mark(editor);
      }
      update(update) {
        const is_parsed = language.syntaxTree(update.state) !== language.syntaxTree(update.startState);
        if (update.docChanged || update.viewportChanged || is_parsed) this.mark(update.view);
      }
      mark(editor) {
        const strings = [];
        const inner = [];
        const enter = (node) => {
          if (node.name !== "RawString") return;
          const text = editor.state.sliceDoc(node.from, node.to);
          const bounds = IS_CUDA.test(text) && inside(text);
          if (!bounds) return;
          const [start, end] = bounds.map((at) => node.from + at);
          strings.push(Decoration.mark({ class: NAME }).range(start, end));
          for (const [from, to, classes] of highlighted(text.slice(...bounds))) {
            if (classes && to > from) inner.push(Decoration.mark({ class: classes }).range(start + from, start + to));
          }
        };
        for (const { from, to } of editor.visibleRanges) language.syntaxTree(editor.state).iterate({ from, to, enter });
        this.strings = Decoration.set(strings, true);
        this.pieces = Decoration.set(inner, true);
      }
    }
    const of = (name) => (plugin) =>
      state.Prec.highest(EditorView.decorations.of((editor) => editor.plugin(plugin)?.[name] ?? Decoration.none));
    // What comes first lies within what comes later, and both within the mark of the Rust string.
    const provide = (plugin) => [of("pieces")(plugin), of("strings")(plugin)];
    const plain = EditorView.baseTheme({ [`.${NAME}`]: { color: "var(--jp-content-font-color1)" } });
    return [ViewPlugin.fromClass(Marks, { provide }), plain];
  }

  async function plugin() {
    const names = ["@jupyterlab/codemirror", "@codemirror/state", "@codemirror/view", "@codemirror/language", "@lezer/highlight"];
    const [codemirror, state, view, language, highlight] = await Promise.all(names.map(shared));
    return {
      id: `${NAME}:highlight`,
      description: "Highlights CUDA C++ in the raw strings of Rust cells.",
      autoStart: true,
      requires: [codemirror.IEditorExtensionRegistry, codemirror.IEditorLanguageRegistry],
      activate: async (_, extensions, languages) => {
        const cpp = await languages.getLanguage("text/x-c++src");
        const parser = cpp?.support?.language?.parser;
        if (!parser) return;
        const kept = new Map();
        const highlighted = (text) => {
          if (!kept.has(text)) {
            if (kept.size >= MOST_KEPT) kept.clear();
            kept.set(text, pieces(text, parser, highlight, codemirror.jupyterHighlightStyle));
          }
          return kept.get(text);
        };
        const own = extension({ state, view, language }, highlighted);
        const made = () => codemirror.EditorExtensionRegistry.createImmutableExtension(own);
        extensions.addExtension({ name: NAME, factory: made });
      },
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB ?? {};
  window._JUPYTERLAB[NAME] = {
    init: (of_jupyterlab) => {
      scope = of_jupyterlab;
    },
    get: async () => {
      const own = await plugin();
      return () => ({ __esModule: true, default: own });
    },
  };
})();
