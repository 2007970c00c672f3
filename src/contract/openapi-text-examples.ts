/** Examples of the fields of notes, and of notices to recipients. */
export const textExamples = {
  note: 'Half of it was missing.',
  tags: ['callback'],
  text: 'Called at 6 pm, nobody answered',
  'SimulatedNotice.subject': 'Your order from Pizza & Friends has been delivered',
  'SimulatedNotice.text': 'Hello Dana, your order has been delivered.',
  'SimulatedNotice.to': 'dana@mail.example',
};
