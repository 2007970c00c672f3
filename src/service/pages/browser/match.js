/**
 * The part of a page's script that makes a node equal to its new version and touches only what differs, so that what is
 * not new keeps the focus. Elements with keys (`data-key`) are recognized by them, others by their name and order; those
 * with `data-kept` stay as they are.
 */

function match(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType !== 1 || !isAlike(old, next)) return old.replaceWith(next);
  if ('kept' in old.dataset && 'kept' in next.dataset) return;
  for (const name of old.getAttributeNames()) {
    // What the reader has unfolded stays so.
    const isUnfolded = name === 'open' && old.nodeName === 'DETAILS';
    if (!next.hasAttribute(name) && !isUnfolded) old.removeAttribute(name);
  }
  for (const name of next.getAttributeNames()) {
    if (old.getAttribute(name) !== next.getAttribute(name)) old.setAttribute(name, next.getAttribute(name));
  }
  const nexts = [...next.childNodes];
  const rest = [...old.childNodes].filter((child) => {
    const stays = !child.dataset?.key || nexts.some((each) => isAlike(child, each));
    if (!stays) child.remove();
    return stays;
  });
  for (const child of nexts) {
    const found = rest.findIndex((each) => isAlike(each, child));
    // A text is not worth the elements before it.
    if (found < 0 || (found > 0 && child.nodeType !== 1)) {
      old.insertBefore(child, rest[0] ?? null);
      continue;
    }
    const skipped = rest.splice(0, found);
    const same = rest.shift();
    const later = skipped.filter((each) => each.dataset?.key);
    for (const each of skipped) if (!later.includes(each)) each.remove();
    if (later.length > 0) old.insertBefore(same, later[0]);
    rest.unshift(...later);
    match(same, child);
  }
  for (const child of rest) child.remove();
}

function isAlike(left, right) {
  return left.nodeName === right.nodeName && left.dataset?.key === right.dataset?.key;
}
