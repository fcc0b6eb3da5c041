// xterm.js writes its colours and sizes into <style> elements, which the page's policy
// (style-src 'self') forbids. This stands in for `document` towards xterm: a style element
// it makes is backed by a constructed style sheet instead, which the policy allows because
// no markup can make one.

/** A document for xterm whose style elements are constructed style sheets. */
export function documentFor(real: Document): Document {
  return new Proxy(real, {
    get(target, name) {
      if (name === "createElement") return (tag: string) => (tag.toLowerCase() === "style" ? sheetElement(target) : target.createElement(tag));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}

function sheetElement(real: Document): HTMLElement {
  const sheet = new CSSStyleSheet();
  real.adoptedStyleSheets = [...real.adoptedStyleSheets, sheet];
  const element = real.createElement("template");
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (rules: string) => sheet.replaceSync(rules),
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    real.adoptedStyleSheets = real.adoptedStyleSheets.filter((other) => other !== sheet);
    remove();
  };
  return element;
}
