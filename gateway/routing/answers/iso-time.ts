/** Formats times as the API contract does. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString()
