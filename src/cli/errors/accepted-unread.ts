import type { AcceptedUnread } from '../../client/errors.ts';
import { joinedTexts } from '../kit/result/message.ts';
import { document, type Result, words } from '../kit/result/result.ts';
import { stepsText } from './service-errors.ts';
import { whereToLook } from './where-to-look.ts';

/** The result of an accepted write: the service's response, and how to look up its outcome. */
export function acceptedAnswer(error: AcceptedUnread): Result {
  const notes = [joinedTexts([`Warning: ${error.message}`, stepsText(whereToLook(error))], ' ')];
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
