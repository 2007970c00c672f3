/** The start and end of a page in the joined text, in bytes. */
type Offsets = [start: number, end: number];

/** Joins the pages into one text, each page once for all its names, and returns the offsets by name. */
export function joinPages(pages: Readonly<Record<string, string>>): {
  text: string;
  places: Record<string, Offsets>;
} {
  const offsets = new Map<string, Offsets>();
  let end = 0;
  const appendPage = (page: string): Offsets => {
    const start = end;
    end += Buffer.byteLength(page);
    return [start, end];
  };
  const places = Object.entries(pages).map(([name, page]) => {
    const place = offsets.get(page) ?? appendPage(page);
    offsets.set(page, place);
    return [name, place] as const;
  });
  return { text: [...offsets.keys()].join(''), places: Object.fromEntries(places) };
}
