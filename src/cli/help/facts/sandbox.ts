import { withFields } from '../shapes.ts';
import { answerOf, each, type Facts, lines, one } from './fact.ts';

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
