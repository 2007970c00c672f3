import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Host } from '../../kit/host/host.ts';
import type { SmtpValues } from './smtp-flags.ts';

/** Addresses of this machine, to which a password may travel without encryption. */
const ownHosts = ['localhost', '127.0.0.1', '::1'];

/** The mail server set by the flags; null without one. Throws UsageError if the flags do not fit together. */
export function smtpSettingsOf(
  { environment, folder }: Pick<Host, 'environment' | 'folder'>,
  {
    smtpHost: host,
    smtpPort,
    smtpTls: tls,
    smtpFrom: from,
    smtpUser: user,
    smtpPasswordFile: file,
  }: Pick<SmtpValues, 'smtpHost' | 'smtpPort' | 'smtpTls' | 'smtpFrom' | 'smtpUser' | 'smtpPasswordFile'>,
) {
  if (host === undefined) {
    if (from === undefined && user === undefined && file === undefined) return null;
    throw new UsageError('The SMTP settings have no server.', { hint: 'Name it with --smtp-host.' });
  }
  if (from === undefined || !/^[^\s@<>,]+@[^\s@<>,]+$/.test(from)) {
    throw new UsageError('The address that notices come from is missing or wrong.', {
      hint: 'Set it with --smtp-from, such as orders@shop.example.',
    });
  }
  const password =
    file === undefined ? (environment.WAYBILL_SMTP_PASSWORD ?? '') : readPassword(folder, file);
  if (user !== undefined && password === '') {
    throw new UsageError('The password of the SMTP server is missing.', {
      hint: 'Set WAYBILL_SMTP_PASSWORD or --smtp-password-file.',
    });
  }
  if (user !== undefined && tls === 'none' && !ownHosts.includes(host)) {
    throw new UsageError('A password is not sent without encryption.', {
      hint: 'Leave out --smtp-tls none, or --smtp-user.',
    });
  }
  const port = smtpPort ?? (tls === 'tls' ? 465 : 587);
  return { host, port, tls, user: user ?? null, password, from };
}

function readPassword(folder: string, file: string): string {
  try {
    return readFileSync(resolve(folder, file), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`The file of the SMTP password cannot be read: ${file}.`, { cause: error });
  }
}
