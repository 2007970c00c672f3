/** What the operator permits, so that a key does not send mail to anyone in the operator's name. */
export interface MailRules {
  /** Whom test mode may send to: addresses, and domains such as `@shop.example`. */
  test_recipients: readonly string[];
  /** How many messages each account and mode may send on a day (UTC). */
  per_day: number;
  /** The name beside the address that messages come from; empty: none. */
  from_name: string;
  /** Where replies go; null: to the address that messages come from. */
  reply_to: string | null;
  /** Whether accounts choose these two themselves. */
  trusts_accounts: boolean;
}

export const defaultMailRules: MailRules = {
  test_recipients: [],
  per_day: 2_000,
  from_name: '',
  reply_to: null,
  trusts_accounts: false,
};

/** Whether test mode may send to an address. */
export function isTestRecipient({ test_recipients }: MailRules, address: string): boolean {
  const domain = address.slice(address.lastIndexOf('@'));
  return test_recipients.some((each) => [address, domain].some((text) => sameText(text, each)));
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
