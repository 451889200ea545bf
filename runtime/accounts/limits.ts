/** Keys and accounts: limits, with their units in their names. */
export const accountLimits = {
  /** Uses of a key within this time are recorded once. */
  keyUseToldMs: 60_000,
  /** One request to an authorization server. */
  oauthCallMs: 10_000,
  /**
   * Longer than a call takes, with room for clock skew: two processes must never renew one token.
   */
  oauthClaimMs: 30_000,
  /** A token is renewed when less than this, or less than a quarter of its life, is left. */
  oauthRenewBeforeMs: 120_000,
  /** Assumed life of a token whose server does not state one. */
  oauthTokenMs: 60 * 60_000,
  oauthWaitMs: 15_000,
  oauthPollMs: 50,
  /** How long to try to save a renewed token: the previous one is not valid any more. */
  oauthSaveMs: 60_000,
  oauthTextChars: 200,
  oauthMetadataMs: 60 * 60_000,
  /** Poll interval of a device login, and what is added when the server asks to slow down. */
  devicePollMs: 5_000,
  deviceSlowDownMs: 5_000,
} as const
