/** Examples of the fields of notices to recipients. */
export const noticeExamples = {
  'SimulatedNotice.subject': 'Your order from Pizza & Friends has been delivered',
  'SimulatedNotice.text': 'Hello Dana, your order has been delivered.',
  'SimulatedNotice.to': 'dana@mail.example',
};
