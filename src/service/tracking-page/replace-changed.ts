/**
 * The part of a page's script that makes a node equal to its new version and touches only what differs. Elements with
 * different keys (`data-key`) are replaced as a whole.
 */
export const replaceChanged = `
function match(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType !== 1 || old.nodeName !== next.nodeName || old.dataset.key !== next.dataset.key) {
    return old.replaceWith(next);
  }
  for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const name of next.getAttributeNames()) {
    if (old.getAttribute(name) !== next.getAttribute(name)) old.setAttribute(name, next.getAttribute(name));
  }
  const [olds, nexts] = [[...old.childNodes], [...next.childNodes]];
  olds.forEach((child, index) => (index < nexts.length ? match(child, nexts[index]) : child.remove()));
  old.append(...nexts.slice(olds.length));
}
`;
