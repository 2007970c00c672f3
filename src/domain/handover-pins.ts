/** The number of wrong PINs that locks a handover until the merchant lifts it. */
export const max_wrong_pins = 5;

/** Whether so many wrong PINs were entered that no PIN is accepted. */
export function isPinLocked({ wrong_pins = 0 }: { wrong_pins?: number | undefined }): boolean {
  return wrong_pins >= max_wrong_pins;
}
