import { type MapTiles, tilesFault } from '../../../domain/place-services.ts';
import { BadValue, type Flag, text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';

const group = 'Maps';

/** The maps of the recipient's page and the board; without a server they are drawn, without streets. */
export const mapFlags = {
  mapTiles: tilesFlag(),
  mapAttribution: text({
    summary: 'Whom the map of --map-tiles is from, shown on it; the name OpenStreetMap becomes a link',
    ...{ group, placeholder: 'TEXT' },
  }),
};

function tilesFlag(): Flag<string | undefined> {
  const base = text({
    summary: 'Map tiles, which browsers load from there (default: maps are drawn, without streets)',
    ...{ group, placeholder: 'https://HOST/{z}/{x}/{y}.png' },
  });
  const read = (texts: readonly string[]) => {
    const url = texts.at(-1) ?? '';
    const fault = tilesFault(url);
    if (fault === null) return url;
    throw new BadValue(`${fault}, not "${url}"`);
  };
  return { ...base, read };
}

/** The tile server that the flags set; undefined without one. */
export function mapTilesOf({
  mapTiles: url,
  mapAttribution: attribution,
}: {
  mapTiles: string | undefined;
  mapAttribution: string | undefined;
}): MapTiles | undefined {
  if (url === undefined && attribution === undefined) return undefined;
  if (url === undefined) {
    throw new UsageError('--map-attribution needs --map-tiles.', {
      hint: 'Set the URL of the tiles with --map-tiles, or leave the attribution out.',
    });
  }
  if (attribution === undefined || attribution.trim() === '') {
    throw new UsageError('The attribution of the map is missing.', {
      hint: "Set it with --map-attribution, such as '© OpenStreetMap contributors'.",
    });
  }
  return { url, attribution: attribution.trim() };
}
