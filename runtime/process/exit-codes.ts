/**
 * Exit codes of a role, for its supervisor. A fenced process is restarted at once, because it did
 * not fail.
 */
export const exitCodes = { ok: 0, failed: 1, fenced: 3 } as const
