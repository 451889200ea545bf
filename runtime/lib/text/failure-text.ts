/** The message of a caught value, which need not be an Error. */
export const failureText = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
