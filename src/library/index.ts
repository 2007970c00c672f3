/** The exports of 'waybill'. */
export {
  AcceptedUnread,
  ApiError,
  type ApiErrorFields,
  ModeMismatch,
  OutcomeUnknown,
  Unreachable,
  Unsupported,
} from '../client/errors.ts';
export type * from './api.ts';
export type { Answer, CallOptions, Fetch, List, Page } from './calls.ts';
export {
  type Client,
  type ClientOptions,
  createClient,
  type EventOptions,
  type WaitOptions,
  WaitTimeout,
  waitFor,
} from './client.ts';
