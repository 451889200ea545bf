/** Formats times as the API contract does. */
export const iso = (ms: number): string => new Date(ms).toISOString()
