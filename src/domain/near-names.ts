/** The names that start with a word or are similar, most similar first: two edits away, or one if it has up to four letters. */
export function nearNames(word: string, names: readonly string[]): string[] {
  const limit = word.length <= 4 ? 1 : 2;
  const ranked = names.map((name) => ({ name, distance: distanceOf(word, name) }));
  const close = ranked.filter(
    ({ name, distance }) => distance <= limit || (word.length > 2 && name.startsWith(word)),
  );
  return close
    .sort((left, right) => left.distance - right.distance)
    .map(({ name }) => name)
    .slice(0, 3);
}

/** The edit distance with transpositions (optimal string alignment). */
function distanceOf(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      const swapped = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const steps = [(row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1)];
      if (swapped) steps.push((before[j - 2] ?? 0) + 1);
      next.push(Math.min(...steps));
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
