import type { Operation, WireResponse } from '../contract/operation.ts';
import { errorOf } from './answers.ts';
import { type ApiError, Unsupported } from './errors.ts';
import {
  type Feature,
  type Features,
  featureOf,
  featureTexts,
  hasNoPath,
  isOptional,
  probes,
  requiredFeature,
  showsFeature,
} from './features.ts';

/** Sends a GET of an operation; resolves for any status. */
export type Look = (operation: Operation, query: Record<string, string>) => Promise<WireResponse>;

/** Throws if the service is known to lack a feature that the operation needs. */
export function checkFeature(operation: Operation, features: Features | null): void {
  const feature = requiredFeature(operation);
  if (feature !== null && features?.[feature] === false) throw unsupported(operation, feature, null);
}

/** The error for a feature that is known to be missing, or for an operation that the service does not have. */
export function unsupported(
  operation: Operation,
  feature: Feature | null,
  status: number | null,
): Unsupported {
  const { method, path, summary } = operation;
  const what = feature === null ? `operation "${summary}"` : featureTexts[feature];
  const answered = status === null ? '' : ` (${method} ${path} answered ${status})`;
  return new Unsupported(`This service has no ${what}${answered}.`, {
    code: 'not_supported',
    status: status ?? 404,
  });
}

/** True if a response means an unknown path rather than an unknown record. */
export function isWithoutPath(response: WireResponse, now: number): boolean {
  return hasNoPath(response) && !isAboutRecord(errorOf(response, now));
}

function isAboutRecord({ code, hasCode, status }: ApiError): boolean {
  return status === 404 && hasCode && code !== 'not_found' && /not_found|unknown|missing/.test(code);
}

/** True for responses that some services give to any path: a page, or a refusal as invalid or not permitted. */
function isCatchAll({ status, code }: ApiError): boolean {
  return [400, 401, 403, 410, 500].includes(status) || (status < 300 && code === 'unexpected_answer');
}

/** True if a path without an ID does not exist, and the refusal does not speak of an order in the body. */
function isPathMissing({ path }: Operation, error: ApiError): boolean {
  return hasNoPath(error) && !path.includes('{') && !/(?<![/\w])orders?\b/i.test(error.message);
}

/**
 * Finds out whether a refusal means that the service lacks the operation. If it may be about a record, requests the
 * list of such records once, which exists or not.
 */
export function missingOperations(features: Features | null, look: Look) {
  const shown = new Map<Feature, Promise<boolean>>();
  const isShown = (feature: Feature, probe: Operation): Promise<boolean> => {
    const found =
      shown.get(feature) ??
      look(probe, {}).then(
        (response) => showsFeature(probe, response),
        () => true,
      );
    shown.set(feature, found);
    return found;
  };
  return async (operation: Operation, error: ApiError): Promise<boolean> => {
    if (isAboutRecord(error)) return false;
    if (!isOptional(operation)) return isPathMissing(operation, error);
    const feature = featureOf(operation);
    const isLacking = features?.idempotency === false && (feature === null || features[feature] !== true);
    if (isLacking && operation.method === 'GET' && isCatchAll(error)) return true;
    if (!hasNoPath(error)) return false;
    if (feature === null || !operation.path.includes('{') || error.status !== 404) return true;
    if (features?.[feature] === true) return false;
    const probe = probes[feature];
    return probe === undefined || !(await isShown(feature, probe()));
  };
}
