/**
 * How a role's process ends, for whoever started it. A fenced one is started again at once: it did
 * nothing wrong.
 */
export const exitCodes = { ok: 0, failed: 1, fenced: 3 } as const
