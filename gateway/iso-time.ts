/** Times as the contract writes them. */
export const iso = (ms: number): string => new Date(ms).toISOString()
