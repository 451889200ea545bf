/** The well-known development key, accepted where DEV_KEY names it. */
export const devKey = 'dev-local-key'
