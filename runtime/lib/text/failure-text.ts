/** What a caught value says: anything may be thrown. */
export const failureText = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
