/** Of a query. */
export const searchChars = 200
