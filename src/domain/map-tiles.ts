/** A server of map tiles, as the operator sets it. */
export interface MapTiles {
  /** With `{z}`, `{x}` and `{y}`. */
  url: string;
  /** The credit of the map's makers, which is shown on the map. */
  attribution: string;
}

/** The origin of the tiles, which pages may load pictures from. */
export function tilesOrigin({ url }: Pick<MapTiles, 'url'>): string {
  return new URL(url).origin;
}

const placeholders = ['{z}', '{x}', '{y}'];

/** Why a URL of tiles is refused, as the end of a sentence; null if it is valid. */
export function tilesFault(url: string): string | null {
  const parsed = URL.parse(url);
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isThisMachine(parsed));
  if (parsed === null || !isSafe || parsed.username !== '') {
    return 'must be a URL that starts with https:// and has no password';
  }
  if (!/^[\w.-]+(:\d+)?$/.test(parsed.host)) return 'must name one host, without {s} or other placeholders';
  const missing = placeholders.filter((each) => !url.includes(each));
  return missing.length === 0 ? null : `must contain ${missing.join(', ')}`;
}

/** Browsers load pictures from this machine also over http://. */
function isThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1';
}
