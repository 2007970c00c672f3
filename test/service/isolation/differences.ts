/** Where two values of JSON differ, one line for each place: `path: one -> other`. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (isBranch(one) && isBranch(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) => differences(one[name], other[name], `${path}/${name}`));
  }
  const [before, after] = [JSON.stringify(one), JSON.stringify(other)];
  return before === after ? [] : [`${path}: ${before} -> ${after}`];
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
