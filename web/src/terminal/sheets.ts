// xterm.js writes its colours and sizes into <style> elements and style attributes, which
// the page's policy (style-src 'self') forbids. Loosening the policy would open it for
// injected markup as well; this gives the same text to the two ways that no markup can
// take: constructed style sheets and the properties of an element.

let obeys = false;

/** From now on, what scripts write as styles goes by ways that the policy allows. */
export function obeyPolicy(document: Document): void {
  if (obeys) return;
  obeys = true;
  const create = document.createElement.bind(document);
  document.createElement = ((tag: string, options?: ElementCreationOptions) => {
    if (tag === "style") return sheetElement(document, create);
    const element = create(tag, options);
    if (tag === "span") element.setAttribute = styleByProperty;
    return element;
  }) as typeof document.createElement;
}

function sheetElement(document: Document, create: (tag: string) => HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const element = create("template");
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (rules: string) => sheet.replaceSync(rules),
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    remove();
  };
  return element;
}

function styleByProperty(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
