import type { Notice } from '../../client/calls.ts';
import type { Feature } from '../../client/features.ts';
import type { Text } from '../kit/result/message.ts';
import { changeProfile } from '../settings/profiles.ts';
import type { Settings } from '../settings/settings.ts';

/** Shows notices about responses of other services, and stores what they say about the service. */
export function createNoticeHandler(settings: Settings, warn: (line: Text) => void) {
  const filtered = new Set<string>();
  return (notice: Notice): void => {
    if (notice.kind === 'lacking') {
      keepMissing(settings, notice.feature);
      return;
    }
    const text = noticeText(notice);
    // A command may read the same list several times.
    if (!filtered.has(text)) warn(text);
    if (notice.kind === 'filtered') filtered.add(text);
    // Whole amounts are then read in the same unit next time.
    if (notice.kind === 'main_units') keepMissing(settings, 'cents');
  };
}

/** Stores that the service lacks a feature. */
function keepMissing({ file, name, profile, keyOrigin }: Settings, feature: Feature): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  try {
    changeProfile(file, name, (kept) => ({ ...kept, service: { ...kept?.service, [feature]: false } }));
  } catch {}
}

/** The note on a response of another service. */
function noticeText(notice: Exclude<Notice, { kind: 'lacking' }>): string {
  switch (notice.kind) {
    case 'unread':
      return `The service accepted the request (status ${notice.status}), but its response is not JSON.`;
    case 'filtered': {
      const { names, searched, isWhole } = notice;
      const searchedText = isWhole ? `all ${searched} records` : `only the latest ${searched} records`;
      return `The service ignores the filter ${names.join(', ')}: ${searchedText} were filtered here.`;
    }
    case 'main_units':
      return [
        'The service has amounts with decimals: they are read in dollars instead of cents, and so are whole amounts.',
        ...(notice.hasReadCents ? ['Amounts shown before were 100 times too small.'] : []),
        notice.sent.length > 0
          ? `It was sent ${notice.sent.join(', ')} in cents.`
          : 'Amounts that were sent to it before were in cents.',
      ].join(' ');
    case 'assumed_units':
      return 'Whole amounts are read in dollars instead of cents, because other amounts of the service have decimals.';
    case 'currency':
      return `Amounts are in the smallest unit of ${notice.currency}, although they are shown with a dollar sign.`;
  }
}
