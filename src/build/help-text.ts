/** Where a page begins among all of them, and where it ends, in bytes. */
type Place = [start: number, end: number];

/** Pages as one text, each once however many names it has, and the place of each by its name. */
export function joinPages(pages: Readonly<Record<string, string>>): {
  text: string;
  places: Record<string, Place>;
} {
  const known = new Map<string, Place>();
  let end = 0;
  const placed = (page: string): Place => {
    const start = end;
    end += Buffer.byteLength(page);
    return [start, end];
  };
  const places = Object.entries(pages).map(([name, page]) => {
    const place = known.get(page) ?? placed(page);
    known.set(page, place);
    return [name, place] as const;
  });
  return { text: [...known.keys()].join(''), places: Object.fromEntries(places) };
}
