/** An audit entry. */
export const exampleEntry = 'aud_01KJPZ6V3CQ8YH2W5N7R4T9XEN';

/** Examples of the fields of audit entries. */
export const auditExamples = {
  'AuditEntry.id': exampleEntry,
  'AuditEntry.actor_name': 'Ana',
  'AuditEntry.detail': 'deliver',
  'AuditEntry.address': '203.0.113.7',
  key_last_four: 'Ge4U',
  operation: 'CancelDelivery',
  record_id: 'dlv_01KJPZ6V3CQ8YH2W5N7R4T9XEE',
};
