/** What is kept of an account with a provider of models. The secret itself is sealed. */

/** US dollars for a million tokens: for budgets of cost, where the provider does not tell. */
export interface ModelPrice {
  readonly inputPerMillionUsd: number
  readonly outputPerMillionUsd: number
}
