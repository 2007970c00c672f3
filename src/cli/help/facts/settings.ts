import { listOf, object, orNull, withField, withFields, word } from '../shapes.ts';
import { answerOf, each, type Facts, lines, one } from './fact.ts';
import {
  commandOutline,
  finding,
  identity,
  keyRotation,
  protocolMessage,
  served,
  setting,
  shownProfile,
  spoken,
  topicRow,
  tourLine,
} from './own-shapes.ts';

const profileErrors = ['profile_not_found', 'settings_broken', 'settings_unusable'] as const;
const profile = {
  calls: [],
  answers: [one(shownProfile)],
  exits: { 5: 'no such profile' },
  errors: profileErrors,
} as const;
const oneSetting = { ...profile, answers: [one(setting)] } as const;

/** An account as its operator sees it. */
const operatedAccount = object({
  id: 'string',
  name: 'string',
  created_at: 'time',
  suspended_at: orNull(word('time')),
});
/** Results of commands that work on the database of a service. */

const issuedKey = object({ key: 'string', mode: 'test | live', permission: 'read | write | admin' });

const createdAccount = withField(operatedAccount, 'keys', listOf(issuedKey));

const operatedKey = issuedKey;

const erasedOrder = object({
  order_id: 'string',
  delivery_ids: listOf(word('string')),
  outcome: 'erased | under_way',
});

/** The stored records of a person. */
const personExport = object({ phone: 'string', orders: listOf(word('object')) });
/** A key that encrypts stored secrets. */
const keyUse = object({
  key: orNull(word('string')),
  state: '"current" | "previous" | "missing" | "none"',
  secrets: 'integer',
});

const secretRotation = object({
  key: 'string',
  file: orNull(word('string')),
  created: 'boolean',
  encrypted: 'integer',
  unreadable: 'integer',
});

/** The schema of a database. */
const schemaState = object({
  schema_version: 'integer',
  newest_version: 'integer',
  pending: 'integer',
});
const copied = {
  bytes: 'integer',
  schema_version: 'integer',
  orders: 'integer',
  deliveries: 'integer',
} as const;

/** A copy of a database. */
const databaseCopy = object({ file: 'string', ...copied });
const restoredDatabase = object({ file: 'string', ...copied, replaced: orNull(word('string')) });

/** Commands for settings, keys and the service. */
export const settingFacts: Readonly<Record<string, Facts>> = {
  start: {
    calls: [],
    answers: [lines(tourLine)],
    exits: { 8: 'the delivery did not finish in time', 9: 'the delivery ended unsuccessfully' },
    related: ['orders create', 'ship', 'drivers add', 'serve'],
  },
  doctor: {
    calls: [],
    answers: [each(finding)],
    exits: {
      2: 'the settings are invalid',
      4: 'the API key is missing or invalid',
      6: "the key's mode differs from the profile's",
      7: 'the storage is damaged, or the service is unreachable',
    },
    errors: ['settings_broken', 'unreachable', 'storage_damaged'],
    related: ['whoami', 'config list', 'admin failed'],
  },
  'admin accounts': {
    calls: [],
    answers: [
      each(operatedAccount),
      one(createdAccount, 'with create'),
      one(operatedAccount, 'with get, rename, suspend and resume'),
      one(operatedKey, 'with create-key'),
      one(answerOf('failedTasks.dismiss'), 'with delete'),
    ],
    exits: { 5: 'no such account', 6: 'the account has records', 7: 'the database cannot be used' },
    errors: ['record_not_found', 'account_not_empty', 'storage_unavailable'],
    related: ['keys create', 'serve'],
  },
  'admin erase': {
    calls: [],
    answers: [each(erasedOrder)],
    exits: { 7: 'the database cannot be used' },
    errors: ['storage_unavailable'],
    related: ['admin export', 'backup'],
  },
  'admin export': {
    calls: [],
    answers: [one(personExport)],
    exits: { 7: 'the database cannot be used' },
    errors: ['storage_unavailable'],
    related: ['admin erase', 'deliveries list'],
  },
  'admin failed': {
    calls: ['failedTasks.list', 'failedTasks.retry', 'failedTasks.dismiss'],
    answers: [each('failedTasks.list'), each(answerOf('failedTasks.dismiss'), 'with dismiss')],
    related: ['doctor'],
  },
  'audit list': {
    calls: ['audit.list', 'keys.list', 'couriers.list'],
    answers: [each('audit.list')],
    related: ['keys list', 'events list'],
  },
  'secrets status': {
    calls: [],
    answers: [each(keyUse)],
    exits: { 6: 'a key is not usable', 7: 'the database cannot be used' },
    errors: ['secret_key_missing', 'storage_unavailable'],
    related: ['secrets rotate', 'serve'],
  },
  'secrets rotate': {
    calls: [],
    answers: [one(secretRotation)],
    exits: {
      6: 'there is no key, or a key is not usable',
      7: 'the database cannot be used',
      10: 'some secrets cannot be decrypted',
    },
    errors: ['secret_key_missing', 'storage_unavailable'],
    related: ['secrets status', 'serve'],
  },
  login: {
    calls: ['account.get'],
    answers: [one(identity)],
    errors: ['settings_broken', 'settings_unusable'],
    related: ['whoami', 'logout', 'profiles create'],
  },
  logout: { ...profile, related: ['login', 'profiles delete', 'keys revoke'] },
  whoami: {
    calls: ['account.get'],
    answers: [one(identity)],
    errors: ['no_api_key'],
    related: ['profiles list', 'config list', 'doctor'],
  },
  'profiles list': { ...profile, answers: [each(shownProfile)], related: ['profiles use', 'whoami'] },
  'profiles use': { ...profile, related: ['profiles list', 'whoami'] },
  'profiles create': {
    ...profile,
    exits: { 6: 'the profile already exists' },
    errors: ['profile_exists', 'settings_broken', 'settings_unusable'],
    related: ['login', 'profiles use'],
  },
  'profiles delete': { ...profile, related: ['logout', 'profiles list'] },
  'config list': { ...profile, answers: [each(setting)], related: ['config set', 'profiles list'] },
  'config get': { ...oneSetting, related: ['config list', 'config set'] },
  'config set': {
    ...oneSetting,
    exits: { 5: 'no such profile', 6: "the profile's URL cannot be changed" },
    errors: [...profileErrors, 'profile_settled'],
    related: ['config unset', 'config list'],
  },
  'config unset': { ...oneSetting, related: ['config set', 'config list'] },
  'keys create': {
    calls: ['keys.create'],
    answers: [one('keys.create')],
    related: ['login', 'keys revoke'],
  },
  'keys list': {
    calls: ['keys.list'],
    answers: [each('keys.list')],
    related: ['keys create', 'keys revoke'],
  },
  'keys rotate': {
    calls: ['keys.list', 'keys.create', 'account.get', 'keys.revoke'],
    answers: [one(keyRotation)],
    exits: { 6: 'the key in use cannot be identified' },
    errors: ['key_not_identified', 'settings_broken', 'settings_unusable'],
    related: ['keys revoke', 'keys list', 'login'],
  },
  'keys revoke': {
    calls: ['keys.list', 'keys.revoke'],
    answers: [one('keys.revoke')],
    related: ['keys create'],
  },
  migrate: {
    calls: [],
    answers: [one(schemaState)],
    exits: { 6: 'migrations are pending, with --check', 7: 'the database cannot be used' },
    errors: ['migrations_pending', 'storage_unavailable'],
    related: ['backup', 'serve'],
  },
  backup: {
    calls: [],
    answers: [one(databaseCopy)],
    exits: { 7: 'the database cannot be copied' },
    errors: ['storage_unavailable'],
    related: ['restore', 'serve'],
  },
  restore: {
    calls: [],
    answers: [one(restoredDatabase)],
    exits: { 7: 'the database is in use, or the backup is damaged' },
    errors: ['storage_unavailable'],
    related: ['backup', 'serve'],
  },
  serve: {
    calls: [],
    answers: [lines(served), each(setting, 'with --check')],
    exits: { 7: 'the database cannot be used' },
    errors: ['storage_unavailable'],
    related: ['login', 'listen', 'openapi'],
  },
  mcp: {
    calls: [
      'account.get',
      'deliveries.quote',
      'orders.create',
      'dispatches.create',
      'deliveries.cancel',
      'clock.advance',
    ],
    answers: [lines(protocolMessage)],
    related: ['api', 'ship', 'sandbox advance'],
  },
  api: {
    calls: ['account.get'],
    answers: [],
    exits: {
      5: 'no such record',
      6: 'conflict',
      8: 'still pending',
    },
    related: ['openapi', 'commands'],
  },
  completion: {
    calls: [],
    answers: [one(spoken)],
    related: ['commands'],
  },
  openapi: { calls: [], answers: [], related: ['api', 'serve'] },
  commands: { calls: [], answers: [each(commandOutline)], related: ['help'] },
  help: {
    calls: [],
    answers: [
      one(spoken, 'for the program and its groups'),
      one(commandOutline, 'for a command'),
      each(topicRow, 'for a topic'),
    ],
    related: ['commands'],
  },
};

const watchedClock = withFields({ type: '"clock.current" | "clock.updated"' }, answerOf('clock.get'));

/** Commands that control the sandbox. */
export const sandboxFacts: Readonly<Record<string, Facts>> = {
  'sandbox clock': {
    calls: ['clock.get', 'clock.set'],
    answers: [one('clock.get'), lines(watchedClock, 'with --watch')],
    errors: ['still_pending'],
    related: ['sandbox advance'],
  },
  'sandbox advance': {
    calls: ['clock.advance', 'clock.get', 'deliveries.listDetailed'],
    answers: [one('clock.advance')],
    exits: {
      8: 'with --until: nothing more is due before that status',
      9: 'with --until: the delivery ended without reaching the status',
    },
    errors: ['still_pending', 'delivery_STATUS'],
    related: ['sandbox clock', 'deliveries explain'],
  },
  'sandbox scenarios': {
    calls: ['sandbox.scenarios'],
    answers: [each('sandbox.scenarios')],
    related: ['sandbox scenario', 'orders create'],
  },
  'sandbox scenario': {
    calls: ['sandbox.settings', 'sandbox.updateSettings'],
    answers: [one('sandbox.settings')],
    related: ['sandbox scenarios'],
  },
  'sandbox steps': {
    calls: ['sandbox.steps', 'deliveries.listDetailed'],
    answers: [one('sandbox.steps')],
    related: ['sandbox step', 'deliveries get'],
  },
  'sandbox step': {
    calls: ['sandbox.step', 'deliveries.listDetailed'],
    answers: [one('sandbox.step')],
    related: ['sandbox steps', 'sandbox advance'],
  },
  'sandbox provider': {
    calls: ['sandbox.provider', 'sandbox.updateProvider'],
    answers: [one('sandbox.provider')],
    related: ['sandbox scenarios'],
  },
  'sandbox reset': {
    calls: ['sandbox.reset'],
    answers: [one('sandbox.reset')],
    related: ['sandbox clock'],
  },
};
