import type { AcceptedUnread } from '../../client/errors.ts';
import type { Feature } from '../../client/features.ts';
import { joinedTexts } from '../kit/result/message.ts';
import { document, type Result, words } from '../kit/result/result.ts';
import { availableSteps } from './known-steps.ts';
import { stepsText } from './service-errors.ts';
import { whereToLook } from './where-to-look.ts';

/** The result of an accepted write: the service's response, and how to look up its outcome. */
export function acceptedAnswer(error: AcceptedUnread, has: (feature: Feature) => boolean): Result {
  const steps = availableSteps(whereToLook(error), has);
  const notes = [joinedTexts([`Warning: ${error.message}`, stepsText(steps)], ' ')];
  const data = parsed(error.body);
  return data === undefined ? words(error.body, { notes }) : document(data, { notes });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
